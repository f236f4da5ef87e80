import { expect, test } from 'vitest';
import { KINDS } from '#api/kinds';
import { kindsOf } from '#programs/install/crds';
import { withoutNamesOf } from './withheld-names.ts';

const namesOf = (chosen: Parameters<typeof kindsOf>[0]) => {
  const kinds = kindsOf(chosen);
  const leftOut = KINDS.filter((kind) => !kinds.includes(kind)).map((kind) => withoutNamesOf(kinds, kind));
  return Object.fromEntries(leftOut.map(({ plural, group, shortNames }) => [`${plural}.${group}`, shortNames]));
};

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
