import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { missingPermissions } from './missing-permissions.ts';
import type { PolicyRule } from './rbac-objects.ts';
import { coversPath } from './rbac-rules.ts';

const some = (...values: string[]) => fc.array(fc.constantFrom(...values), { maxLength: 3 });
const rule: fc.Arbitrary<PolicyRule> = fc.record({
  apiGroups: some('', 'apps', '*'),
  resources: some('pods', 'pods/log', 'secrets', '*', '*/log'),
  verbs: some('get', 'list', '*'),
  resourceNames: some('a', 'b'),
  nonResourceURLs: some('/a', '/a/b', '/a/*', '*'),
});

/** Enumerates every combination on its own, as Kubernetes does. */
function enumerateMissing(owned: readonly PolicyRule[], desired: readonly PolicyRule[]): string[] {
  const lines = new Set<string>();
  const verbsOf = new Map<string, string[]>();
  const has = (list: PolicyRule['verbs'] | null | undefined, value: string) =>
    list?.includes('*') === true || list?.includes(value) === true;
  const quoted = (list: readonly string[]) => `[${list.map((value) => `"${value}"`).join(' ')}]`;
  for (const { apiGroups, resources, verbs, resourceNames, nonResourceURLs } of desired) {
    const names = resourceNames?.length ? resourceNames : [undefined];
    for (const group of apiGroups ?? []) {
      for (const resource of resources ?? []) {
        for (const verb of verbs) {
          for (const name of names) {
            const isHeld = owned.some(
              (rule) =>
                has(rule.apiGroups, group) &&
                (has(rule.resources, resource) ||
                  (resource.includes('/') && rule.resources?.includes(`*${resource.slice(resource.indexOf('/'))}`))) &&
                has(rule.verbs, verb) &&
                (!rule.resourceNames?.length || (name !== undefined && rule.resourceNames.includes(name))),
            );
            if (isHeld) continue;
            const named = name === undefined ? '' : `, ResourceNames:${quoted([name])}`;
            const key = `{APIGroups:${quoted([group])}, Resources:${quoted([resource])}${named}, Verbs:`;
            verbsOf.set(key, [...(verbsOf.get(key) ?? []), verb]);
          }
        }
      }
    }
    for (const url of nonResourceURLs ?? []) {
      for (const verb of verbs) {
        const isHeld = owned.some(
          (rule) =>
            !rule.resourceNames?.length &&
            has(rule.verbs, verb) &&
            rule.nonResourceURLs?.some((pattern) => coversPath(pattern, url)),
        );
        if (!isHeld) lines.add(`{NonResourceURLs:${quoted([url])}, Verbs:${quoted([verb])}}`);
      }
    }
  }
  for (const [key, verbs] of verbsOf) lines.add(`${key}${quoted(verbs)}}`);
  return [...lines].sort();
}

test('missing permissions equal those found by comparing every combination', () => {
  const rules = fc.array(rule, { maxLength: 4 });
  const property = fc.property(rules, rules, (owned, desired) => {
    expect(missingPermissions(owned, desired)).toEqual(enumerateMissing(owned, desired));
  });
  fc.assert(property, { numRuns: 1000 });
});

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const cube = (size: number, prefix = ''): PolicyRule => ({
  apiGroups: many(`${prefix}g`, size),
  resources: many(`${prefix}r`, size),
  verbs: many(`${prefix}v`, size),
});

/** Tests rules with too many combinations to visit: the figures double, and with them the time. */
describe.each([100, 1_000, 10_000])('missing permissions with lists of %i values', (size) => {
  test('are abbreviated in the message', () => {
    const missing = missingPermissions([{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }], [cube(size)]);
    expect(missing).toHaveLength(1);
    expect(missing[0]?.length).toBeLessThan(1_000);
    expect(missing[0]).toMatch(new RegExp(`^{APIGroups:\\["g0" .* and ${size - 10} more\\], Resources:`));
  });

  test('are empty if the user has all of them', () => {
    const halves = [
      { ...cube(size), verbs: many('v', size / 2) },
      { ...cube(size), verbs: many('v', size).slice(size / 2) },
    ];
    expect(missingPermissions([{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }], [cube(size)])).toEqual([]);
    expect(missingPermissions([cube(size)], [cube(size)])).toEqual([]);
    expect(missingPermissions(halves, [cube(size)])).toEqual([]);
  });

  test('name a single combination that is missing', () => {
    const owned = [
      { ...cube(size), verbs: many('v', size).slice(1) },
      { ...cube(size), resources: many('r', size).slice(1) },
      { ...cube(size), apiGroups: many('g', size).slice(1) },
    ];
    const missing = ['{APIGroups:["g0"], Resources:["r0"], Verbs:["v0"]}'];
    expect(missingPermissions(owned, [cube(size)])).toEqual(missing);
  });
});

test('missing permissions are abbreviated if their values are long', () => {
  const long = 'x'.repeat(100_000);
  const desired = [{ apiGroups: many(long, 10), resources: many('r', 10), verbs: ['get'] }];
  expect(missingPermissions([], desired).toString().length).toBeLessThan(2_000);
});

test('missing permissions are abbreviated if there are many rules', () => {
  const desired = Array.from({ length: 12 }, (_, i) => cube(120, `${i}`));
  expect(missingPermissions([], desired)).toHaveLength(12);
  const more = Array.from({ length: 20_000 }, (_, i) => ({ nonResourceURLs: [`/${i}`], verbs: ['get'] }));
  expect(missingPermissions([], more).at(-1)).toBe('and 19980 more rules');
});

test('missing permissions are incomparable if every combination would have to be compared', () => {
  const size = 40;
  // Each owner omits one value of each list, so that no two values are covered by the same owners.
  const owned = many('v', size).map((_, i) => ({
    apiGroups: many('g', size).filter((_value, at) => at !== i),
    resources: many('r', size).filter((_value, at) => at !== (i * 7) % size),
    verbs: many('v', size).filter((_value, at) => at !== (i * 11) % size),
    resourceNames: many('n', size).filter((_value, at) => at !== (i * 13) % size),
  }));
  const desired = [{ ...cube(size), resourceNames: many('n', size) }];
  expect(missingPermissions(owned, desired)).toBe('incomparable');
});
