import { virtualMachine as hypersdkVirtualMachine } from '#api/hypersdk/virtual-machine';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { vmTemplate } from '#api/hypersdk/vm-template';
import { virtualMachine as kubevirtVirtualMachine } from '#api/kubevirt/virtual-machine';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { virtualMachineInstanceMigration } from '#api/kubevirt/virtual-machine-instance-migration';
import { virtualMachine as novacronVirtualMachine } from '#api/novacron/virtual-machine';
import { vmNetwork } from '#api/novacron/vm-network';
import { vmPool } from '#api/novacron/vm-pool';
import { vmStorage } from '#api/novacron/vm-storage';
import { simulationScenario } from '#api/simulation/simulation-scenario';
import { virtualMachine as simulationVirtualMachine } from '#api/simulation/virtual-machine';
import type { Kind } from '#platform/schema/kind';

/**
 * Health in the terms of Argo CD. An object that matches its manifest is Healthy, including a VM that should be off and
 * is.
 */
export type Health = 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';

/** Derives the health of a kind from its status. An object that was not observed yet is Progressing. */
export interface HealthRule {
  readonly kind: Kind;
  /** Field of the status with the last observed generation. Absent if there is none. */
  readonly lookedAt?: 'observedGeneration' | 'desiredGeneration';
  /** A condition that is met decides, unless another condition or the status word reports an error. */
  readonly conditions: readonly {
    readonly type: string;
    readonly status: 'True' | 'False';
    readonly health: Health;
  }[];
  /** Field of the status that summarizes it in a word, and the health that each word means. */
  readonly word?: { readonly field: string; readonly means: Readonly<Record<string, Health>> };
}

const FAILURE = { type: 'Failure', status: 'True', health: 'Degraded' } as const;
const FAILED = { type: 'Failed', status: 'True', health: 'Degraded' } as const;

export const HEALTH_RULES: readonly HealthRule[] = [
  {
    kind: kubevirtVirtualMachine,
    // observedGeneration lags while a change waits for the next start.
    lookedAt: 'desiredGeneration',
    conditions: [FAILURE],
    word: {
      field: 'printableStatus',
      means: {
        Running: 'Healthy',
        Migrating: 'Healthy',
        Stopped: 'Healthy',
        Paused: 'Suspended',
        Starting: 'Progressing',
        Stopping: 'Progressing',
        Terminating: 'Progressing',
        Provisioning: 'Progressing',
        WaitingForVolumeBinding: 'Progressing',
        Unknown: 'Degraded',
        ErrorPvcNotFound: 'Degraded',
        DataVolumeError: 'Degraded',
        ErrorUnschedulable: 'Degraded',
        ErrImagePull: 'Degraded',
        ImagePullBackOff: 'Degraded',
        CrashLoopBackOff: 'Degraded',
      },
    },
  },
  {
    kind: virtualMachineInstance,
    conditions: [{ type: 'Paused', status: 'True', health: 'Suspended' }],
    word: {
      field: 'phase',
      means: {
        '': 'Progressing',
        Pending: 'Progressing',
        Scheduling: 'Progressing',
        Scheduled: 'Progressing',
        Running: 'Healthy',
        Succeeded: 'Healthy',
        Failed: 'Degraded',
        Unknown: 'Degraded',
      },
    },
  },
  {
    kind: virtualMachineInstanceMigration,
    conditions: [],
    word: {
      field: 'phase',
      means: {
        Pending: 'Progressing',
        Scheduling: 'Progressing',
        Scheduled: 'Progressing',
        PreparingTarget: 'Progressing',
        TargetReady: 'Progressing',
        Running: 'Progressing',
        Succeeded: 'Healthy',
        Failed: 'Degraded',
      },
    },
  },
  {
    kind: hypersdkVirtualMachine,
    lookedAt: 'observedGeneration',
    conditions: [],
    word: {
      field: 'phase',
      means: {
        Pending: 'Progressing',
        Creating: 'Progressing',
        Running: 'Healthy',
        Stopped: 'Healthy',
        Migrating: 'Healthy',
        Paused: 'Suspended',
        Failed: 'Degraded',
        Unknown: 'Degraded',
      },
    },
  },
  {
    kind: vmOperation,
    lookedAt: 'observedGeneration',
    conditions: [FAILED],
    word: {
      field: 'phase',
      means: {
        Pending: 'Progressing',
        Running: 'Progressing',
        Succeeded: 'Healthy',
        Failed: 'Degraded',
        Cancelled: 'Suspended',
      },
    },
  },
  {
    kind: vmTemplate,
    lookedAt: 'observedGeneration',
    conditions: [
      { type: 'Valid', status: 'False', health: 'Degraded' },
      { type: 'ImageAccessible', status: 'False', health: 'Degraded' },
      { type: 'Ready', status: 'True', health: 'Healthy' },
    ],
  },
  {
    kind: vmSnapshot,
    lookedAt: 'observedGeneration',
    conditions: [FAILED],
    word: {
      field: 'phase',
      means: {
        Pending: 'Progressing',
        Creating: 'Progressing',
        Ready: 'Healthy',
        Failed: 'Degraded',
        Deleting: 'Progressing',
        Expired: 'Suspended',
      },
    },
  },
  {
    kind: novacronVirtualMachine,
    lookedAt: 'observedGeneration',
    conditions: [{ type: 'Paused', status: 'True', health: 'Suspended' }],
    word: {
      field: 'phase',
      means: {
        Pending: 'Progressing',
        Running: 'Healthy',
        Migrating: 'Healthy',
        Stopped: 'Healthy',
        Failed: 'Degraded',
      },
    },
  },
  {
    kind: vmPool,
    lookedAt: 'observedGeneration',
    conditions: [{ type: 'Available', status: 'True', health: 'Healthy' }],
  },
  {
    kind: vmNetwork,
    lookedAt: 'observedGeneration',
    conditions: [],
    word: { field: 'phase', means: { Pending: 'Progressing', Active: 'Healthy', Failed: 'Degraded' } },
  },
  {
    kind: vmStorage,
    lookedAt: 'observedGeneration',
    conditions: [],
    word: {
      field: 'phase',
      means: { Pending: 'Progressing', Ready: 'Healthy', Degraded: 'Degraded', Failed: 'Degraded' },
    },
  },
  {
    kind: simulationVirtualMachine,
    lookedAt: 'observedGeneration',
    conditions: [FAILURE],
    word: {
      field: 'phase',
      means: {
        Pending: 'Progressing',
        Scheduling: 'Progressing',
        Scheduled: 'Progressing',
        Running: 'Healthy',
        Stopped: 'Healthy',
        Failed: 'Degraded',
      },
    },
  },
  {
    kind: simulationScenario,
    lookedAt: 'observedGeneration',
    conditions: [FAILED],
    word: {
      field: 'phase',
      means: {
        Pending: 'Progressing',
        Running: 'Progressing',
        Paused: 'Suspended',
        Completed: 'Healthy',
        Failed: 'Degraded',
      },
    },
  },
];
