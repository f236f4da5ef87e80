import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DIALECT_NAMES, type DialectName, GROUPS } from '#api/groups';
import { KINDS } from '#api/kinds';
import { groupsNamedVm, vmShortNameGroup, withoutNamesOf, withVmShortName } from '#programs/cli/vm-short-name';
import { crdFor, kindsOf } from './crds.ts';

const namesOf = (chosen: Parameters<typeof kindsOf>[0]) => {
  const kinds = kindsOf(chosen);
  const leftOut = KINDS.filter((kind) => !kinds.includes(kind)).map((kind) => withoutNamesOf(kinds, kind));
  return Object.fromEntries(leftOut.map(({ plural, group, shortNames }) => [`${plural}.${group}`, shortNames]));
};

test.each<[readonly DialectName[], string | undefined, string]>([
  [DIALECT_NAMES, undefined, 'kubevirt.io'],
  [['hypersdk', 'kubevirt'], undefined, 'kubevirt.io'],
  [['simulation', 'hypersdk'], undefined, 'simulation.node-classifier.io'],
  [['novacron'], undefined, 'novacron.io'],
  [DIALECT_NAMES, 'hypersdk.io', 'hypersdk.io'],
])('with %j and --vm-short-name %s, vm means %s', (chosen, requested, group) => {
  expect(vmShortNameGroup(chosen, requested)).toBe(group);
});

test('vm belongs to exactly one group, whichever groups are selected and whichever has it', () => {
  fc.assert(
    fc.property(fc.subarray([...DIALECT_NAMES], { minLength: 1 }), fc.nat(), (chosen, at) => {
      for (const requested of [undefined, GROUPS[chosen[at % chosen.length] ?? 'kubevirt']]) {
        const group = vmShortNameGroup(chosen, requested);
        const kinds = kindsOf(chosen);
        const withheld = KINDS.filter((kind) => !kinds.includes(kind)).map((kind) => withoutNamesOf(kinds, kind));
        expect(groupsNamedVm([...withVmShortName(kinds, group), ...withheld].map(crdFor))).toEqual([group]);
      }
    }),
    { numRuns: 30 },
  );
});

test('unselected kinds keep the names that no selected kind has', () => {
  expect(namesOf(['kubevirt', 'hypersdk'])).toEqual({
    'virtualmachines.novacron.io': [],
    'vmpools.novacron.io': ['vmpool'],
    'vmnetworks.novacron.io': ['vmnet'],
    'vmstorages.novacron.io': ['vmstore'],
    'virtualmachines.simulation.node-classifier.io': [],
    'simulationscenarios.simulation.node-classifier.io': ['scenario'],
  });
});

test('no name is withheld if all groups are selected', () => {
  expect(namesOf(['kubevirt', 'hypersdk', 'novacron', 'simulation'])).toEqual({});
});

test('the category covers only the selected kinds', () => {
  const [kind] = KINDS;
  if (kind === undefined) throw new Error('there are no kinds');
  expect(withoutNamesOf([kind], kind).categories).toEqual([]);
  expect(withoutNamesOf([], kind)).toEqual(kind);
});
