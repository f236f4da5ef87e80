import { expect, it } from 'vitest';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Cache } from './cache.ts';
import { Expectation } from './expectation.ts';

const child = (resourceVersion: string, uid = 'first'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', uid, resourceVersion },
});
const cacheAt = (version: string, ...objects: readonly KubeObject[]): Cache => ({
  version,
  size: objects.length,
  get: () => objects[0],
  all: () => objects,
  inNamespace: () => objects,
  by: () => objects,
});

it('is met at first, and once the cache has reached the newest write', () => {
  const expectation = new Expectation();
  expect(expectation.isMet(cacheAt(''))).toBe(true);
  expectation.wrote(child('12'));
  expectation.wrote(child('9'));
  expect(expectation.isMet(cacheAt('11'))).toBe(false);
  expect(expectation.isMet(cacheAt('12'))).toBe(true);
  expect(expectation.isMet(cacheAt('3'))).toBe(true);
});

it('is met once a deleted object is gone, even if another has its name', () => {
  const expectation = new Expectation();
  expectation.removed(child('9'));
  expect(expectation.isMet(cacheAt('20', child('9')))).toBe(false);
  expect(expectation.isMet(cacheAt('20', child('15', 'second')))).toBe(true);
});

it('recognizes its newest write until it is met', () => {
  const expectation = new Expectation();
  expect(expectation.isEcho(child(''))).toBe(false);
  expectation.wrote(child('9'));
  expect(expectation.isEcho(child('9'))).toBe(true);
  expect(expectation.isEcho(child('8'))).toBe(false);
  expect(expectation.isMet(cacheAt('9'))).toBe(true);
  expect(expectation.isEcho(child('9'))).toBe(false);
});
