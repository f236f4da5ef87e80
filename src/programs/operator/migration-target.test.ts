import { describe, expect, it } from 'vitest';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { ReviewRequest } from './admission-review.ts';
import { withMigrationTarget } from './migration-target.ts';

const request = (vmiName: string, kind = 'VirtualMachineInstanceMigration') =>
  ({
    uid: 'u',
    kind: { group: 'kubevirt.io', version: 'v1', kind },
    operation: 'CREATE',
    namespace: 'x',
    object: { metadata: { name: 'move', namespace: 'x' }, spec: { vmiName } },
  }) as unknown as ReviewRequest;

/** Looks an instance up with a cache that knows `old`, on a cluster that also has `new`. */
async function found(review: ReviewRequest, name: string): Promise<{ instance: unknown; reads: string[] }> {
  const reads: string[] = [];
  const client = {
    get: (_type: unknown, wanted: string, { namespace }: { namespace: string }) => {
      reads.push(`${namespace}/${wanted}`);
      return wanted === 'new'
        ? Promise.resolve({ metadata: { name: wanted } })
        : Promise.reject(new KubeError(404, 'NotFound', 'not found'));
    },
  } as unknown as Client;
  const cached = ((_kind: unknown, _namespace: string, wanted: string) =>
    wanted === 'old' ? { metadata: { name: 'old' } } : undefined) as never;
  const lookup = await withMigrationTarget(review, cached, client, new AbortController().signal);
  return { instance: lookup(virtualMachineInstance, 'x', name), reads };
}

describe('the instance of a new migration', () => {
  it('is read from the API server only if the cache does not show it', async () => {
    expect(await found(request('old'), 'old')).toEqual({ instance: { metadata: { name: 'old' } }, reads: [] });
    expect(await found(request('new'), 'new')).toEqual({ instance: { metadata: { name: 'new' } }, reads: ['x/new'] });
    expect(await found(request('none'), 'none')).toEqual({ instance: undefined, reads: ['x/none'] });
  });

  it('is read for no other review', async () => {
    expect(await found(request('new', 'VirtualMachineInstance'), 'new')).toEqual({ instance: undefined, reads: [] });
  });
});
