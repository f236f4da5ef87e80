import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import { evictedInstance, evictionResult } from './launcher-eviction.ts';

const owner = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  name: 'web',
  uid: 'u1',
  controller: true,
};
const launcher = (more: { metadata?: object; nodeName?: string; phase?: string } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels: { 'kubevirt.io': 'virt-launcher' }, ownerReferences: [owner], ...more.metadata },
  spec: { containers: [], nodeName: more.nodeName ?? 'n1' },
  status: { phase: more.phase ?? 'Running' },
});
const MIGRATABLE = [{ type: 'LiveMigratable', status: 'True' }];
const instance = (evictionStrategy: string | undefined, status: object = {}): Vmi =>
  ({
    metadata: { name: 'web', namespace: 'ns', uid: 'u1' },
    spec: evictionStrategy === undefined ? {} : { evictionStrategy },
    status: { phase: 'Running', nodeName: 'n1', conditions: MIGRATABLE, ...status },
  }) as unknown as Vmi;

const ALLOWED = { allowed: true };
const TRIGGERED = 'Eviction triggered evacuation of VMI "ns/web"';
const marked = { allowed: false, message: TRIGGERED, evacuate: 'n1' };
const rejected = (message: string) => ({ allowed: false, message });

describe('the eviction of a launcher', () => {
  it.each<[string, Pod, Vmi | undefined, object]>([
    ['is a migration where the machine can', launcher(), instance('LiveMigrate'), marked],
    ['is a migration where that was left open', launcher(), instance('LiveMigrateIfPossible'), marked],
    ['is left to somebody else', launcher(), instance('External', { conditions: [] }), marked],
    [
      'is refused where the machine must migrate and cannot',
      launcher(),
      instance('LiveMigrate', { conditions: [{ type: 'LiveMigratable', status: 'False' }] }),
      rejected('VMI web is configured with an eviction strategy but is not live-migratable'),
    ],
    [
      'is refused where nobody knows yet whether it can',
      launcher(),
      instance('LiveMigrate', { conditions: undefined }),
      rejected('VMI web is configured with an eviction strategy but is not live-migratable'),
    ],
    [
      'is let through where the machine need not',
      launcher(),
      instance('LiveMigrateIfPossible', { conditions: [] }),
      ALLOWED,
    ],
    ['is let through without a strategy', launcher(), instance(undefined), ALLOWED],
    ['is let through where nobody cares', launcher(), instance('None'), ALLOWED],
    [
      'is refused again while the machine is on its way',
      launcher(),
      instance('LiveMigrate', { evacuationNodeName: 'n1' }),
      rejected(`Evacuation in progress: ${TRIGGERED}`),
    ],
    [
      'is refused for the pod that the machine is moving to',
      launcher({ nodeName: 'n2' }),
      instance('LiveMigrate'),
      rejected('Eviction request for target Pod'),
    ],
    ['is let through on no node', launcher({ nodeName: '' }), instance('LiveMigrate'), ALLOWED],
    ['is let through where the instance is gone', launcher(), undefined, ALLOWED],
    ['is let through where the instance is over', launcher(), instance('LiveMigrate', { phase: 'Failed' }), ALLOWED],
    [
      'is let through where another instance has its name now',
      launcher({ metadata: { ownerReferences: [{ ...owner, uid: 'older' }] } }),
      instance('LiveMigrate'),
      ALLOWED,
    ],
  ])('%s', (_what, pod, vmi, verdict) => {
    expect(evictionResult(pod, vmi)).toEqual(verdict);
  });

  it.each<[string, Pod, string | undefined]>([
    ['its owner', launcher(), 'web'],
    [
      'its annotation',
      launcher({ metadata: { ownerReferences: [], annotations: { 'kubevirt.io/domain': 'old' } } }),
      'old',
    ],
    ['nothing, once it has ended', launcher({ phase: 'Succeeded' }), undefined],
    ['nothing, as it is no launcher', launcher({ metadata: { labels: { app: 'web' } } }), undefined],
  ])('finds the instance by %s', (_what, pod, name) => {
    expect(evictedInstance(pod)).toBe(name);
  });
});
