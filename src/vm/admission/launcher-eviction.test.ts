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
    ['becomes a migration if the VM can migrate', launcher(), instance('LiveMigrate'), marked],
    ['becomes a migration if it is optional and possible', launcher(), instance('LiveMigrateIfPossible'), marked],
    [
      'is left to another controller with the strategy External',
      launcher(),
      instance('External', { conditions: [] }),
      marked,
    ],
    [
      'is rejected if the VM must migrate and cannot',
      launcher(),
      instance('LiveMigrate', { conditions: [{ type: 'LiveMigratable', status: 'False' }] }),
      rejected('VMI web is configured with an eviction strategy but is not live-migratable'),
    ],
    [
      'is rejected while it is unknown whether the VM can migrate',
      launcher(),
      instance('LiveMigrate', { conditions: undefined }),
      rejected('VMI web is configured with an eviction strategy but is not live-migratable'),
    ],
    [
      'is accepted if migration is optional and impossible',
      launcher(),
      instance('LiveMigrateIfPossible', { conditions: [] }),
      ALLOWED,
    ],
    ['is accepted without a strategy', launcher(), instance(undefined), ALLOWED],
    ['is accepted with the strategy None', launcher(), instance('None'), ALLOWED],
    [
      'is rejected while the VM is migrating',
      launcher(),
      instance('LiveMigrate', { evacuationNodeName: 'n1' }),
      rejected(`Evacuation in progress: ${TRIGGERED}`),
    ],
    [
      'is rejected for the target pod of a migration',
      launcher({ nodeName: 'n2' }),
      instance('LiveMigrate'),
      rejected('Eviction request for target Pod'),
    ],
    ['is accepted if the pod has no node', launcher({ nodeName: '' }), instance('LiveMigrate'), ALLOWED],
    ['is accepted if the instance was deleted', launcher(), undefined, ALLOWED],
    ['is accepted if the instance has terminated', launcher(), instance('LiveMigrate', { phase: 'Failed' }), ALLOWED],
    [
      'is accepted if another instance has the name',
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
    ['nothing if the pod has terminated', launcher({ phase: 'Succeeded' }), undefined],
    ['nothing if it is not a launcher', launcher({ metadata: { labels: { app: 'web' } } }), undefined],
  ])('finds the instance by %s', (_what, pod, name) => {
    expect(evictedInstance(pod)).toBe(name);
  });
});
