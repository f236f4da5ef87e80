import { expect, test } from 'vitest';
import { tryVm } from '#testing/vm-trial';

test('the VM that the tables modify is accepted without warnings', () => {
  expect(tryVm({})).toMatchObject({ causes: [], warnings: [], unknownFields: [] });
});
