import { expect, it } from 'vitest';
import { ciParts, nightlyParts } from './parts.ts';

it('.ci/run takes less than 70 minutes on a fresh host', () => {
  const total = ciParts(1, true).reduce((sum, { minutes }) => sum + minutes, 0);
  expect(total).toBeLessThan(70);
});

it('tests that take hours are only part of the nightly tests', () => {
  const files = ciParts(1).flatMap((part) => part.files ?? []);
  expect(files.filter((file) => /nightly|churn|soak|mutation/.test(file))).toEqual([]);
  expect(files).toContain('test/gitops/health.cluster.test.ts');
  const nightly = nightlyParts([]);
  expect(nightly.map(({ name }) => name)).toEqual([
    'tests',
    'mutation',
    'conformance suite',
    'conformance',
    'conformance on up',
  ]);
  expect(nightly.flatMap((part) => part.files ?? [])).toContain('test/nightly/soak.test.ts');
});

it('a part of the nightly tests can be selected', () => {
  expect(nightlyParts(['conformance']).map(({ name }) => name)).toEqual(['conformance suite', 'conformance']);
  expect(() => nightlyParts(['nope'])).toThrow(
    'no part nope: tests, mutation, conformance suite, conformance, conformance on up',
  );
});
