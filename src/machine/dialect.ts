import type { RunStrategy } from '../api/kubevirt/run-strategy.ts';
import type { InstanceSpec } from '../api/kubevirt/virtual-machine-instance.ts';
import type { ResourceType } from '../kube/client.ts';
import type { Vmi } from '../kube/kinds/machines.ts';
import type { KubeObject } from '../kube/kube-object.ts';

/** What a VirtualMachine of any group asks for, in the words of the engine. */
export interface DesiredMachine {
  /** Name of its instance: that of the machine, with the group behind it for all but kubevirt.io. */
  readonly instanceName: string;
  readonly runStrategy: RunStrategy;
  /** Labels and annotations of the instance, and through it of its pod. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: InstanceSpec;
  /** What keeps the machine from being started at all, told in a condition; it is looked at again when something changes. */
  readonly blocked?: { readonly reason: string; readonly message: string };
}

/** A start or stop that waits to be done. */
export interface PowerRequest {
  readonly action: 'Start' | 'Stop';
  /** Of the instance that is to be stopped. */
  readonly uid?: string;
  /** How to start: `paused: "true"` makes an instance whose machine stands still until it is asked to go on. */
  readonly data?: Readonly<Record<string, string>>;
}

/** What a user asked for beyond the spec, and what the engine remembers from one run of the machine to the next. */
export interface MachineMemory {
  readonly requests: readonly PowerRequest[];
  readonly startFailure?: {
    readonly consecutiveFailCount?: number;
    readonly lastFailedVMIUID?: string;
    readonly retryAfterTimestamp?: string | null;
  };
  /** Addresses by the name of the interface, kept through restart and migration. */
  readonly identity: Readonly<Record<string, { readonly mac: string; readonly ip?: string }>>;
}

/** All that the engine has seen of a machine when it reports. */
export interface ObservedMachine {
  readonly instance: Vmi | undefined;
  readonly memory: MachineMemory;
  /** How the last instance ended, where it is known. */
  readonly lastShutdown?: { readonly reason: 'GuestShutdown' | 'Stopped' | 'Error' | 'NodeLost'; readonly at: string };
  readonly restartRequired?: readonly string[];
  readonly now: number;
}

export type PowerAction = 'start' | 'stop' | 'restart';

/** How an action reads in the words of a group: an edit, a request that waits in the status, or a refusal. */
export type PowerEdit =
  | { readonly spec: object }
  | { readonly requests: MachineMemory['requests'] }
  | { readonly conflict: string };

/** One API group that names a VirtualMachine: pure, and everything that the engine needs to know of it. */
export interface Dialect<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly type: ResourceType<T>;
  desired(vm: T): DesiredMachine;
  /** What was remembered of it in its status. */
  memory(vm: T): MachineMemory;
  /** The whole status as it should stand; the engine writes it only where it differs. */
  report(vm: T, observed: ObservedMachine): object;
  power(vm: T, action: PowerAction, instance: Vmi | undefined): PowerEdit;
}
