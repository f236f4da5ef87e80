import { expect, it } from 'vitest';
import type { KubeObject } from '#platform/kube/kube-object';
import { OwnWrites } from './own-writes.ts';

const version = (resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion },
});

function writing(own: OwnWrites) {
  const write = Promise.withResolvers<KubeObject>();
  let missed = 0;
  const done = own.during(write.promise, () => missed++);
  return { write, done, missed: () => missed };
}

it('recognizes its own write, seen before or after its response', async () => {
  const own = new OwnWrites();
  const { write, done, missed } = writing(own);
  expect(own.isOwnWrite('7')).toBe(true);
  write.resolve(version('7'));
  await done;
  expect(missed()).toBe(0);
  expect(own.isOwnWrite('7')).toBe(true);
  expect(own.isOwnWrite('8')).toBe(false);
});

it('reports the writes of others during its own', async () => {
  const own = new OwnWrites();
  const { write, done, missed } = writing(own);
  expect(own.isOwnWrite('6')).toBe(true);
  expect(own.isOwnWrite('7')).toBe(true);
  write.resolve(version('7'));
  await done;
  expect(missed()).toBe(1);
});

it('reports changes seen during a failed write', async () => {
  const own = new OwnWrites();
  const { write, done, missed } = writing(own);
  own.isOwnWrite('6');
  write.reject(new Error('conflict'));
  await expect(done).rejects.toThrow('conflict');
  expect(missed()).toBe(1);
  expect(own.isOwnWrite('6')).toBe(false);
});
