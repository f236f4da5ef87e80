import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemberPlans } from './member-plans.ts';
import { DEDUCED } from './type.ts';
import { TypeSchemas } from './type-schema.ts';

const map = new TypeSchemas({}).custom({ type: 'object', properties: { spec: { type: 'object' } } }).map as never;

it('plans each set of names separately, in the order of path elements, without skipped ones', () => {
  const plans = new MemberPlans();
  const names = fc.uniqueArray(fc.constantFrom('spec', 'metadata', 'a', 'B', 'c.d/e', '__proto__', 'toString', 'z'));
  const skips = [undefined, { a: true as const }, { z: true as const, metadata: { name: true as const } }];
  fc.assert(
    fc.property(names, fc.constantFrom(...skips), (given, skip) => {
      const plan = plans.of(given, skip, map, DEDUCED);
      const desired = given.filter(
        (name) => skip === undefined || !Object.hasOwn(skip, name) || skip[name as never] !== true,
      );
      expect(plan.elements).toEqual(desired.map((name) => `f:${name}`).sort());
      expect(plan.members.map(({ name }) => `f:${name}`)).toEqual(plan.elements);
      for (const member of plan.members)
        expect(member.skip).toBe(Object.hasOwn(skip ?? {}, member.name) ? skip?.[member.name as never] : undefined);
    }),
  );
});
