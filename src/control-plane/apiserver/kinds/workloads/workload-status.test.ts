import { expect, it } from 'vitest';
import { countingStatus } from './workload-status.ts';

const rules = countingStatus(
  ['replicas', 'readyReplicas', 'availableReplicas'],
  ['readyReplicas', 'availableReplicas'],
);
const problemsOf = (status: object) =>
  rules.validate({ status: { ...status } }).map(({ field, detail }) => `${field} ${detail}`);

it('accepts consistent counts', () => {
  expect(problemsOf({ replicas: 3, readyReplicas: 2, availableReplicas: 2 })).toEqual([]);
  expect(problemsOf({})).toEqual([]);
});

it('rejects negative counts, and counts larger than their total', () => {
  expect(problemsOf({ replicas: -1 })).toContain('status.replicas must be greater than or equal to 0');
  expect(problemsOf({ replicas: 1, readyReplicas: 2 })).toEqual([
    'status.readyReplicas cannot be greater than status.replicas',
  ]);
  expect(problemsOf({ replicas: 2, availableReplicas: 1 })).toEqual([
    'status.availableReplicas cannot be greater than readyReplicas',
  ]);
});
