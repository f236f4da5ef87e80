import { expect, test } from 'vitest';
import { tryVm } from '#testing/vm-trial';

test('the machine that the tables of causes change is accepted without a word', () => {
  expect(tryVm({})).toMatchObject({ causes: [], warnings: [], unknownFields: [] });
});
