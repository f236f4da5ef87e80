import { describe, expect, it } from 'vitest';
import type { KubeMeta, KubeObject } from '#platform/kube/kube-object';
import { collisionOf, namesOf } from './collision.ts';
import { PLAYED_UID_LABEL } from './played-label.ts';

const object = (metadata: Partial<KubeMeta>) => ({ apiVersion: 'v1', kind: 'Any', metadata }) as KubeObject;
const labelled = (uid: string) => object({ labels: { [PLAYED_UID_LABEL]: uid } });
const owned = (uid: string) =>
  object({ ownerReferences: [{ apiVersion: 'v1', kind: 'SimulationScenario', name: 'x', uid }] });
const collision = (nodes: Record<string, KubeObject>, vms: Record<string, KubeObject>) =>
  collisionOf(
    { nodes: ['rack-1', 'rack-2'], vms: ['web-1'] },
    {
      uid: 'mine',
      node: (name) => nodes[name],
      vm: (name) => vms[name],
      scenario: (uid) => (uid === 'other' ? 'default/other' : undefined),
    },
  );

describe('name collisions of a scenario', () => {
  it.each([
    ['are none if nothing exists', {}, {}, undefined],
    ['are none with its own objects', { 'rack-1': labelled('mine') }, { 'web-1': owned('mine') }, undefined],
    ['are none with names that it does not use', { 'rack-3': object({}) }, { 'web-2': object({}) }, undefined],
    ['are temporary with nodes of a deleted scenario', { 'rack-1': labelled('gone') }, {}, 'leaving'],
    ['are temporary with terminating VMs', {}, { 'web-1': object({ deletionTimestamp: 'now' }) }, 'leaving'],
  ])('%s', (_, nodes, vms, expected) => {
    expect(collision(nodes as never, vms as never)).toEqual(expected);
  });

  it('lists all objects of others by name', () => {
    const found = collision({ 'rack-1': labelled('other'), 'rack-2': object({}) }, { 'web-1': owned('other') });
    expect(found).toEqual({
      taken: expect.stringContaining(
        'node rack-1 of scenario default/other, node rack-2, VM web-1 of scenario default/other: ',
      ),
    });
  });
});

it('a scenario creates its groups and pools, numbered', () => {
  const spec = { nodes: [{ name: 'rack', count: 2 }], vmPools: [{ name: 'web', count: 1 }] };
  expect(namesOf(spec as never)).toEqual({ nodes: ['rack-1', 'rack-2'], vms: ['web-1'] });
});
