import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Vmim } from '#api/kubevirt/resources';
import { type MigrationCandidate, migrationsToPrune, migrationsToStart } from './migration-queue.ts';

const LIMITS = { perCluster: 5, outboundPerNode: 2 };
const vmim = (name: string, age: number): Vmim =>
  ({ metadata: { name, uid: name, creationTimestamp: new Date(age * 1000).toISOString() } }) as unknown as Vmim;

const candidates = fc.uniqueArray(
  fc.record({
    id: fc.nat(200),
    age: fc.nat(50),
    instance: fc.constantFrom(...'abcdefghijkl'),
    node: fc.constantFrom('', 'n1', 'n2', 'n3', 'n4'),
  }),
  { selector: ({ id }) => id, maxLength: 30 },
);
const made = (drawn: typeof candidates extends fc.Arbitrary<infer T> ? T : never): MigrationCandidate[] =>
  drawn.map(({ id, age, instance, node }) => ({ vmim: vmim(`m${id}`, age), instance, node }));

describe('the migrations to start', () => {
  it('respect all limits together with those in progress, and use all capacity', () => {
    fc.assert(
      fc.property(candidates, candidates, (waitingDrawn, drawn) => {
        const waiting = made(waitingDrawn);
        // Those in progress were started by the same rule.
        const underWay = migrationsToStart(made(drawn), [], LIMITS);
        const begin = migrationsToStart(waiting, underWay, LIMITS);
        const all = [...underWay, ...begin];
        expect(all.length).toBeLessThanOrEqual(5);
        expect(new Set(all.map(({ instance }) => instance)).size).toBe(all.length);
        const leaving = (node: string) => all.filter((each) => each.node === node).length;
        for (const { node } of begin) {
          expect(node).not.toBe('');
          expect(leaving(node)).toBeLessThanOrEqual(2);
        }
        for (const candidate of waiting) {
          if (begin.includes(candidate)) continue;
          const blocked =
            all.length >= 5 ||
            candidate.node === '' ||
            leaving(candidate.node) >= 2 ||
            all.some(({ instance }) => instance === candidate.instance);
          expect(blocked).toBe(true);
        }
      }),
    );
  });

  it('are started in the order of their creation', () => {
    const waiting = [3, 1, 2].map((age) => ({ vmim: vmim(`m${age}`, age), instance: `i${age}`, node: 'n1' }));
    expect(migrationsToStart(waiting, [], LIMITS).map((each) => each.vmim.metadata.name)).toEqual(['m1', 'm2']);
  });
});

describe('finished migrations', () => {
  it('are retained, except for the oldest of too many', () => {
    const finished = [5, 2, 4, 1, 3].map((age) => vmim(`m${age}`, age));
    expect(migrationsToPrune(finished, 3).map(({ metadata }) => metadata.name)).toEqual(['m1', 'm2']);
    expect(migrationsToPrune(finished, 5)).toEqual([]);
  });
});
