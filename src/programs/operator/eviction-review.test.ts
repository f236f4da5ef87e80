import { describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { ReviewRequest } from './admission-review.ts';
import { reviewEviction } from './eviction-review.ts';

const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid: 'u', controller: true };
const launcher = {
  metadata: { name: 'p', labels: { 'kubevirt.io': 'virt-launcher' }, ownerReferences: [owner] },
  spec: { nodeName: 'n1' },
  status: { phase: 'Running' },
};
const conditions = [{ type: 'LiveMigratable', status: 'True' }];
const instance = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
  spec: { evictionStrategy: 'LiveMigrate' },
  status: { phase: 'Running', nodeName: 'n1', conditions },
};

interface Harness {
  readonly pod?: object;
  readonly instance?: object;
  readonly failure?: Error;
}

async function reviewed(request: Partial<ReviewRequest>, harness: Harness = { pod: launcher, instance }) {
  const patched: unknown[] = [];
  const client = {
    get: ({ kind }: { kind: string }) => {
      const found = kind === 'Pod' ? harness.pod : harness.instance;
      return found === undefined ? Promise.reject(new KubeError(404, 'NotFound', 'gone')) : Promise.resolve(found);
    },
    patch: (_type: unknown, name: string, { body }: { body: unknown }, { subresource }: { subresource: string }) => {
      if (harness.failure !== undefined) return Promise.reject(harness.failure);
      patched.push([name, subresource, body]);
      return Promise.resolve({});
    },
  } as unknown as Client;
  const kind = { group: 'policy', version: 'v1', kind: 'Eviction' };
  const requested = {
    uid: '1',
    kind,
    operation: 'CREATE',
    subResource: 'eviction',
    namespace: 'shop',
    name: 'p',
  } as const;
  return { answer: await reviewEviction({ ...requested, ...request }, client, AbortSignal.abort()), patched };
}

const ALLOWED = { allowed: true };
const REFUSED = {
  allowed: false,
  status: { code: 429, reason: 'TooManyRequests', message: 'Eviction triggered evacuation of VMI "shop/web"' },
};

describe('the review of an eviction', () => {
  it('turns it into a migration if the VMI can migrate', async () => {
    const { answer: response, patched } = await reviewed({});
    expect(response).toEqual(REFUSED);
    expect(patched).toEqual([['web', 'status', { status: { evacuationNodeName: 'n1' } }]]);
  });

  it.each<[string, Partial<ReviewRequest>]>([
    ['by the request', { dryRun: true }],
    ['by the options of the deletion', { object: { metadata: {}, deleteOptions: { dryRun: ['All'] } } as never }],
  ])('changes nothing in a dry run requested %s', async (_how, request) => {
    expect(await reviewed(request)).toEqual({ answer: REFUSED, patched: [] });
  });

  it.each<[string, Partial<ReviewRequest>, Harness | undefined]>([
    ['of a pod that is not a launcher', {}, { pod: { ...launcher, metadata: { name: 'p' } } }],
    ['of a pod that no longer exists', {}, {}],
    ['for another subresource', { subResource: 'binding' }, undefined],
    ['of a VMI without an eviction strategy', {}, { pod: launcher, instance: { ...instance, spec: {} } }],
  ])('accepts one %s', async (_what, request, harness) => {
    expect(await reviewed(request, harness)).toEqual({ answer: ALLOWED, patched: [] });
  });

  it('rejects the eviction if the VMI cannot be marked', async () => {
    const { answer: response } = await reviewed({}, { pod: launcher, instance, failure: new Error('no right') });
    expect(response).toMatchObject({ allowed: false, status: { code: 429 } });
    expect(response.status?.message).toContain('no right');
  });
});
