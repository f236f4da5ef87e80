import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#platform/kube/kube-object';
import { findAdmission } from '#vm/dialects/admitters';
import { type ReviewRequest, requiresVerb, reviewBody, reviewObject } from './admission-review.ts';

const find = findAdmission({ actsOn: ({ group }) => group === 'kubevirt.io' });
const parts = { find, lookup: () => undefined };

const machine = (spec: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'a', namespace: 'x', ...metadata },
  spec,
});
const GOOD = { running: true, template: { spec: { domain: { devices: {}, memory: { guest: '1Gi' } } } } };
const BAD = {
  running: true,
  runStrategy: 'Always',
  template: { spec: { domain: { cpu: { cores: -1 }, devices: {} } } },
};

const request = (object: KubeObject, more: Partial<ReviewRequest> = {}): ReviewRequest => ({
  uid: 'u',
  kind: { group: 'kubevirt.io', version: 'v1', kind: 'VirtualMachine' },
  operation: 'CREATE',
  namespace: 'x',
  userInfo: { username: 'jane', groups: [] },
  object,
  ...more,
});

describe('the admission webhook', () => {
  it('lets only users with the verb operate change an instance', () => {
    const instance = (guest: string): KubeObject => ({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: 'a', namespace: 'x' },
      spec: { domain: { devices: {}, memory: { guest } } },
    });
    const kind = { group: 'kubevirt.io', version: 'v1', kind: 'VirtualMachineInstance' };
    const change = request(instance('2Gi'), { kind, operation: 'UPDATE', oldObject: instance('1Gi') });
    expect(requiresVerb(change)).toBe(true);
    expect(reviewObject(change, 'validate', { ...parts, operates: true }).allowed).toBe(true);
    expect(reviewObject(change, 'validate', { ...parts, operates: false }).allowed).toBe(false);
    expect(reviewObject(change, 'validate', parts).allowed).toBe(false);
  });

  it('checks no verb if none is required', () => {
    const kind = { group: 'kubevirt.io', version: 'v1', kind: 'VirtualMachineInstance' };
    expect(requiresVerb(request(machine(GOOD)))).toBe(false);
    expect(requiresVerb(request(machine(GOOD), { kind, subResource: 'status', operation: 'UPDATE' }))).toBe(false);
    expect(requiresVerb(request(machine(GOOD), { kind, operation: 'DELETE' }))).toBe(false);
  });

  it('reports all errors at once, with causes, before the schema is checked', () => {
    for (const phase of ['mutate', 'validate'] as const) {
      const { allowed, status } = reviewObject(request(machine(BAD)), phase, parts);
      expect(allowed).toBe(false);
      expect(status).toMatchObject({ code: 422, reason: 'Invalid', details: { kind: 'VirtualMachine', name: 'a' } });
      const fields = status?.details?.causes?.map(({ field }) => field) ?? [];
      expect(fields.length).toBeGreaterThan(1);
      expect(fields).toContain('spec.template.spec.domain.cpu.cores');
    }
  });

  it('adds the finalizer of the kind, and keeps existing ones', () => {
    const { allowed, patch = [] } = reviewObject(request(machine(GOOD, { finalizers: ['b'] })), 'mutate', parts);
    expect(allowed).toBe(true);
    const change = patch.find((each) => (each as { path: string }).path === '/metadata/finalizers');
    expect(change).toMatchObject({ op: 'add', value: ['b', expect.stringContaining('/')] });
  });

  it('never drops a field of a newer schema', () => {
    const spec = { ...GOOD, template: { spec: { ...GOOD.template.spec, ofTomorrow: { a: 1 } } } };
    const { allowed, patch = [] } = reviewObject(request(machine(spec)), 'mutate', parts);
    expect(allowed).toBe(true);
    for (const { path, value } of patch as { path: string; value: object }[]) {
      if (path === '/spec') expect(value).toMatchObject(spec);
    }
  });

  it.each([
    ['deletion', { operation: 'DELETE', object: null, oldObject: machine(BAD) }],
    ['updates of a terminating object', { operation: 'UPDATE', object: machine(BAD, { deletionTimestamp: 't' }) }],
    ['a foreign kind', { kind: { group: '', version: 'v1', kind: 'Pod' } }],
  ] as [string, Partial<ReviewRequest>][])('accepts %s regardless of content', (_what, more) => {
    expect(reviewObject(request(machine(BAD), more), 'validate', parts)).toEqual({ allowed: true });
  });

  it('warns about kinds without a controller, and adds no finalizer to them', () => {
    const object: KubeObject = {
      apiVersion: 'hypersdk.io/v1alpha1',
      kind: 'VirtualMachine',
      metadata: { name: 'a', namespace: 'x' },
      spec: { cpus: 1, memory: '1Gi' },
    };
    const requested = request(object, { kind: { group: 'hypersdk.io', version: 'v1alpha1', kind: 'VirtualMachine' } });
    const { warnings } = reviewObject(requested, 'validate', parts);
    expect(warnings?.join()).toContain('nothing acts on it');
    const paths = reviewObject(requested, 'mutate', parts).patch?.map((each) => (each as { path: string }).path);
    expect(paths).not.toContain('/metadata/finalizers');
  });

  it('responds with a patch only if something changes', () => {
    expect(reviewBody('u', { allowed: true, patch: [] })).toMatchObject({ response: { uid: 'u', allowed: true } });
    expect(JSON.stringify(reviewBody('u', { allowed: true, patch: [] }))).not.toContain('patch');
    const { response } = reviewBody('u', { allowed: true, patch: [{ op: 'add' }] }) as { response: { patch: string } };
    expect(JSON.parse(Buffer.from(response.patch, 'base64').toString())).toEqual([{ op: 'add' }]);
  });
});
