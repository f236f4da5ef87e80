import { expect, it } from 'vitest';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import { admissionDenial } from './denial.ts';

it.each([
  ['the name of the request', 'asked', { name: 'given', generateName: 'gen-' }, '"asked"'],
  ['the name of the object', '', { name: 'given', generateName: 'gen-' }, '"given"'],
  ['the generateName', '', { generateName: 'gen-' }, '"gen-"'],
  ['no name at all', '', {}, '"Unknown"'],
  ['no object', '', undefined, '"Unknown"'],
])('a denial names the object by %s', (_what, name, metadata, shown) => {
  const attributes = {
    resource: { group: '', plural: 'pods', kind: 'Pod' },
    name,
    object: metadata === undefined ? undefined : { metadata },
  } as unknown as AdmissionAttributes;
  const { code, message } = admissionDenial(attributes, 'because');
  expect([code, message]).toEqual([403, `pods ${shown} is forbidden: because`]);
});
