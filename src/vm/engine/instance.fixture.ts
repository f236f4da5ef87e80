import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { timestamp } from '#platform/base/timestamp';
import type { DesiredVm, RecordedState } from './dialect.ts';

export const NOW = Date.parse('2030-01-01T12:00:00Z');
export const at = (seconds: number) => timestamp(NOW + seconds * 1000);

export const spec: VirtualMachineInstance['spec'] = {
  domain: { memory: { guest: '1Gi' }, devices: {} },
};

/** Metadata of the VM that owns the instances. */
export const vmMetadata = (annotations?: Readonly<Record<string, string>>) => ({
  name: 'web',
  namespace: 'default',
  uid: 'vm',
  resourceVersion: '1',
  generation: 3,
  creationTimestamp: at(-600),
  ...(annotations === undefined ? {} : { annotations }),
});

export interface InstanceTraits {
  readonly uid?: string;
  readonly phase?: NonNullable<VirtualMachineInstance['status']>['phase'];
  readonly ran?: boolean;
  /** Run time in seconds. Defaults to 40. */
  readonly ranSeconds?: number;
  readonly terminating?: boolean;
  readonly reason?: string;
  readonly message?: string;
  /** UID of the owning VM. Defaults to 'vm'; '' means no owner. */
  readonly owner?: string;
  readonly conditions?: NonNullable<VirtualMachineInstance['status']>['conditions'];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: VirtualMachineInstance['spec'];
}

/** Builds an instance with the given traits. */
export function instanceLike(looks: InstanceTraits = {}): VirtualMachineInstance {
  const { uid = 'i1', phase = 'Running', terminating = false, reason, message, owner = 'vm' } = looks;
  const ran = looks.ran ?? (phase === 'Running' || phase === 'Succeeded' || phase === 'Failed');
  const phases = [...(ran ? (['Running'] as const) : []), ...(phase === 'Running' ? [] : [phase ?? 'Pending'])];
  const owners = [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: owner, controller: true }];
  const ready = { type: 'Ready', status: phase === 'Running' ? 'True' : 'False', lastTransitionTime: at(-5) } as const;
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: at(-60),
      ...(terminating ? { deletionTimestamp: at(-10) } : {}),
      ...(owner === '' ? {} : { ownerReferences: owners }),
      ...(looks.annotations === undefined ? {} : { annotations: looks.annotations }),
    },
    spec: looks.spec ?? spec,
    status: {
      phase,
      ...(reason === undefined ? {} : { reason }),
      phaseTransitionTimestamps: phases.map((each) => ({
        phase: each,
        phaseTransitionTimestamp: at(each === 'Running' ? -5 - (looks.ranSeconds ?? 40) : -5),
      })),
      conditions: looks.conditions ?? [message === undefined ? ready : { ...ready, message }],
    },
  };
}

export const desiredVm = (more: Partial<DesiredVm> = {}): DesiredVm => ({
  runStrategy: 'Always',
  labels: {},
  annotations: {},
  spec,
  ...more,
});

export const recordedState = (more: Partial<RecordedState> = {}): RecordedState => ({
  requests: [],
  identity: {},
  ...more,
});
