import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from './kinds/pod/pod-spec.ts';
import { withNodeAuthorizer } from './node-authorizer.ts';

const podOf = (spec: PodSpec, namespace = 'shop') => ({ metadata: { namespace, name: 'p' }, spec }) as Pod;
const NODE = { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] };

/** Pods of the namespace shop. */
const PODS: readonly Pod[] = [
  podOf({ nodeName: 'a', volumes: [{ name: 'v', secret: { secretName: 'mounted' } }] }),
  podOf({ nodeName: 'a', imagePullSecrets: [{ name: 'pull' }] }),
  podOf({ nodeName: 'a', volumes: [{ name: 'v', configMap: { name: 'files' } }] }),
  podOf({ nodeName: 'a', volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'projected' } }] } }] }),
  podOf({ nodeName: 'a', containers: [{ name: 'c', env: [{ valueFrom: { secretKeyRef: { name: 'env' } } }] }] }),
  podOf({ nodeName: 'a', initContainers: [{ name: 'c', envFrom: [{ secretRef: { name: 'from' } }] }] }),
  podOf({ nodeName: 'b', volumes: [{ name: 'v', secret: { secretName: 'of-b' } }] }),
  podOf({ volumes: [{ name: 'v', secret: { secretName: 'unbound' } }] }),
];
const authorize = withNodeAuthorizer(
  ({ user }) => ({ allowed: user.groups.includes('readers'), reason: 'by roles' }),
  (namespace) => (namespace === 'shop' ? PODS : []),
);
const read = (change: object) =>
  authorize({ user: NODE, verb: 'get', group: '', resource: 'secrets', namespace: 'shop', name: 'mounted', ...change });

describe('the Node authorizer', () => {
  it.each(['mounted', 'pull', 'projected', 'env', 'from'])('lets a node read the Secret %s of its pod', (name) => {
    for (const verb of ['get', 'list', 'watch']) expect(read({ name, verb }).allowed).toBe(true);
  });

  it('tells Secrets from ConfigMaps', () => {
    expect(read({ resource: 'configmaps', name: 'files' }).allowed).toBe(true);
    expect(read({ resource: 'secrets', name: 'files' }).allowed).toBe(false);
    expect(read({ resource: 'configmaps', name: 'mounted' }).allowed).toBe(false);
  });

  it.each([
    ['of another node', { name: 'of-b' }, "no relationship found between node 'a' and this object"],
    ['of a pod without a node', { name: 'unbound' }, "no relationship found between node 'a' and this object"],
    ['of another namespace', { namespace: 'other' }, "no relationship found between node 'a' and this object"],
    ['of all', { verb: 'list', name: '' }, 'No Object name found'],
    ['to write', { verb: 'update' }, 'can only read resources of this type'],
    ['by a subresource', { subresource: 'x' }, 'cannot read subresource'],
    ['in all namespaces', { namespace: '' }, 'can only read namespaced object of this type'],
  ])('rejects a request %s, as Kubernetes words it', (_what, change, reason) => {
    expect(read(change)).toEqual({ allowed: false, reason: `${reason}\nby roles` });
  });

  it('leaves everything else to roles', () => {
    const byRoles = { allowed: false, reason: 'by roles' };
    expect(read({ user: { ...NODE, groups: ['system:authenticated'] } })).toEqual(byRoles);
    expect(read({ user: { ...NODE, name: 'mallory' } })).toEqual(byRoles);
    expect(read({ resource: 'pods' })).toEqual(byRoles);
    expect(read({ group: 'example.com' })).toEqual(byRoles);
    expect(read({ name: 'of-b', user: { ...NODE, groups: [...NODE.groups, 'readers'] } }).allowed).toBe(true);
  });
});
