import { expect, test } from 'vitest';
import { KINDS } from '#api/kinds';
import { kindsOf } from '#programs/install/crds';
import { withoutNamesOf } from './withheld-names.ts';

const namesOf = (chosen: Parameters<typeof kindsOf>[0]) => {
  const kinds = kindsOf(chosen);
  const leftOut = KINDS.filter((kind) => !kinds.includes(kind)).map((kind) => withoutNamesOf(kinds, kind));
  return Object.fromEntries(leftOut.map(({ plural, group, shortNames }) => [`${plural}.${group}`, shortNames]));
};

test('what is left out keeps the names that no chosen kind has', () => {
  expect(namesOf(['kubevirt', 'hypersdk'])).toEqual({
    'virtualmachines.novacron.io': [],
    'vmpools.novacron.io': ['vmpool'],
    'vmnetworks.novacron.io': ['vmnet'],
    'vmstorages.novacron.io': ['vmstore'],
    'virtualmachines.simulation.node-classifier.io': [],
    'simulationscenarios.simulation.node-classifier.io': ['scenario'],
  });
});

test('nothing is left out where all are chosen', () => {
  expect(namesOf(['kubevirt', 'hypersdk', 'novacron', 'simulation'])).toEqual({});
});

test('the category means the chosen kinds alone', () => {
  const [kind] = KINDS;
  if (kind === undefined) throw new Error('there are no kinds');
  expect(withoutNamesOf([kind], kind).categories).toEqual([]);
  expect(withoutNamesOf([], kind)).toEqual(kind);
});
