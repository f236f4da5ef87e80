import { expect, it } from 'vitest';
import { KubeError } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import { ClaimErrors } from '#vm/controllers/vm-resources/claim-errors';
import { claimsProvider } from '#vm/controllers/vm-resources/claims-provider';
import { vmResources } from '#vm/controllers/vm-resources/controller';
import { NOVACRON_RESOURCES } from './vm-resources.ts';

const vm = {
  apiVersion: 'novacron.io/v1alpha1',
  kind: 'VirtualMachine',
  metadata: { name: 'web', namespace: 'default', uid: 'm' },
  spec: { template: { spec: { resources: { cpu: 1, memory: '1Gi' }, image: { source: 'marketplace://a' } } } },
} as never;

it("a rejected claim is reported with the server's message until it is created", async () => {
  const refusals = new ClaimErrors();
  const woken: string[] = [];
  let response: Error | undefined = new KubeError(403, 'Forbidden', 'exceeded quota: disks');
  let requested = 0;
  const context = {
    cache: () => ({ get: () => undefined, all: () => [] }),
    client: {
      create: async (_type: unknown, object: object) => {
        requested += 1;
        if (response !== undefined) throw response;
        return object;
      },
    },
    enqueue: (key: string) => void woken.push(key),
  } as unknown as Context;
  const parts = vmResources(NOVACRON_RESOURCES, false, refusals);
  const gather = () => claimsProvider(NOVACRON_RESOURCES, false, refusals).provide(vm, context)?.get('root');
  expect(gather()).toEqual({ name: 'web.novacron-root', state: 'missing' });
  for (let i = 0; i < 2; i++) {
    await expect(parts.reconcile(vm, context)).rejects.toMatchObject({ code: 'TEMPORARY', retryAfterMs: 30_000 });
  }
  expect([requested, woken]).toEqual([2, ['default/web']]);
  expect(gather()).toEqual({
    name: 'web.novacron-root',
    state: 'missing',
    reason: 'ClaimRefused',
    message: 'PersistentVolumeClaim web.novacron-root was rejected: exceeded quota: disks',
  });
  response = undefined;
  await parts.reconcile(vm, context);
  expect(gather()).toEqual({ name: 'web.novacron-root', state: 'missing' });
});

it('a claim that could not be requested is not rejected', async () => {
  const refusals = new ClaimErrors();
  const context = {
    cache: () => ({ get: () => undefined }),
    client: { create: () => Promise.reject(new Error('no connection')) },
  } as unknown as Context;
  const parts = vmResources(NOVACRON_RESOURCES, false, refusals);
  await expect(parts.reconcile(vm, context)).rejects.toThrow('no connection');
  expect(refusals.of('default/web', 'web.novacron-root', () => undefined)).toBeUndefined();
});
