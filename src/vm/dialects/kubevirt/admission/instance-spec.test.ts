import { expect, test } from 'vitest';
import { tryMachine } from '#testing/machine-trial';

test('the machine that the tables of causes change is accepted without a word', () => {
  expect(tryMachine({})).toMatchObject({ causes: [], warnings: [], unknownFields: [] });
});
