import type { RunStrategy } from '#api/kubevirt/run-strategy';
import type { InstanceSpec, VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { DependencyName, VmDependencies } from './vm-dependencies.ts';

/** Desired state of a VirtualMachine of any API group, in the terms of the engine. */
export interface DesiredVm {
  readonly runStrategy: RunStrategy;
  /** Labels and annotations of the instance, which its pod inherits. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: InstanceSpec;
  /** Blocker that prevents the VM from starting, reported in a condition. It is reevaluated when something changes. */
  readonly blocked?: Blocker;
  /**
   * Identifies the inputs of the spec besides the VM itself. An instance that was created from another basis may
   * differ.
   */
  readonly basis?: string;
  /** Node that the VM is assigned to, bypassing the scheduler. */
  readonly forcedNode?: string;
  /** Name of the pod of the first instance. The pod may already exist. */
  readonly launcher?: string;
  /** The VM leaves a node by a stop and a start. If unset, other components handle evictions. */
  readonly evacuatesByRestart?: boolean;
  /** Restart policy for a VM that ended by itself after it had run. Defaults to the behavior of the run strategy. */
  readonly restarts?: RestartPolicy;
}

/** Defines when a VM that ended by itself is restarted. */
export interface RestartPolicy {
  readonly when: 'always' | 'onFailure' | 'never';
  readonly delayMs: number;
  /** Maximum number of consecutive restarts. */
  readonly max: number;
  /** Run time after which the count of consecutive restarts starts over. */
  readonly windowMs: number;
  /** Explains why the VM is not restarted, in the terms of its API group. */
  readonly words: string;
}

/** Decision that was made when a VM last ended by itself. */
export interface Restarts {
  /** Number of restarts since the VM was started on request. */
  readonly total: number;
  readonly inRow: number;
  /** UID of the instance whose end was last handled. */
  readonly lastInstance: string;
  /** Earliest time of the next start. */
  readonly retryAfter?: string;
  /** Reason why the VM is not restarted. */
  readonly gaveUp?: 'NotRestarted' | 'RestartsExhausted';
  /** Human-readable description of the decision. */
  readonly message: string;
}

/** Describes why a VM is not in its desired state, by a reason for programs and a message for people. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
  /** The user requested this state, so it is not worth a warning. */
  readonly asked?: true;
}

/** Problem that may be resolved at a known time without any other change. */
export interface Blocker extends Problem {
  /** Time in milliseconds since the Unix epoch. */
  readonly until?: number;
  /** The problem is normally resolved within moments and not worth reporting. */
  readonly transient?: true;
}

/** Pending request to start or stop a VM. */
export interface PowerRequest {
  readonly action: 'Start' | 'Stop';
  /** UID of the instance to stop. */
  readonly uid?: string;
  /** Start parameters. `paused: "true"` creates an instance that stays paused until it is unpaused. */
  readonly data?: Readonly<Record<string, string>>;
}

/** Tracks consecutive instances that ended before they ran. */
export interface StartFailure {
  readonly consecutiveFailCount: number;
  readonly lastFailedVMIUID: string;
  /** Earliest time of the next start attempt. */
  readonly retryAfterTimestamp: string;
}

/** Describes how an instance ended: by its guest, on request, by a fault, or with its node. */
export interface Shutdown {
  readonly reason: 'GuestShutdown' | 'Stopped' | 'Error' | 'NodeLost';
  readonly message: string;
  readonly at: string;
}

/** Addresses of one network interface. Only interfaces on the pod network get an IP address from the engine. */
export interface InterfaceIdentity {
  readonly mac: string;
  readonly ip?: string;
}

/** Addresses by interface name, retained across restarts and migrations. */
export type Identity = Readonly<Record<string, InterfaceIdentity>>;

/** Requests of a user beyond the spec, and the state that the engine retains between runs of a VM. */
export interface RecordedState {
  /** Pending requests, handled one at a time from the first. */
  readonly requests: readonly PowerRequest[];
  /** Run strategy in effect when an instance was last created or managed. Unset before the first instance. */
  readonly runStrategy?: RunStrategy;
  /** Generation of the spec that was last observed. */
  readonly generation?: number;
  readonly startFailure?: StartFailure;
  readonly lastShutdown?: Shutdown;
  readonly restarts?: Restarts;
  readonly identity: Identity;
}

/** Everything the engine has observed of a VM when it reports the status. */
export interface ObservedVm {
  /** Instance that belongs to the VM, as it is or is about to be. */
  readonly instance: VirtualMachineInstance | undefined;
  /** State to record from now on. */
  readonly recorded: RecordedState;
  /** Explains why the VM is not in its desired state. Unset if nothing new is known. */
  readonly problem?: Problem;
  /** The problem is normally resolved within moments. */
  readonly transient?: true;
  /** Changed fields that take effect only at the next start. */
  readonly restartRequired: readonly string[];
  readonly now: number;
}

export type PowerAction = 'start' | 'stop' | 'restart';

export interface PowerOptions {
  /** Applies to Start: the VM stays paused until it is unpaused. */
  readonly paused?: boolean;
  /** Applies to Stop: grace period of the guest in seconds. Defaults to the grace period of the spec. */
  readonly gracePeriodSeconds?: number;
}

/**
 * Expresses a power action in the terms of an API group: a merge patch of the spec, requests that replace those in the
 * status, or both (the requests are written first). If the action is impossible, holds the conflict instead.
 */
export type PowerEdit =
  | {
      readonly spec?: object;
      readonly requests?: readonly PowerRequest[];
      /** New value of the instance's spec.terminationGracePeriodSeconds, written before anything else. */
      readonly gracePeriodSeconds?: number;
      readonly conflict?: undefined;
    }
  | { readonly conflict: string };

/** Size of a VM as its guest sees it. */
export interface VmSize {
  readonly cpus: number;
  /** Memory as a Kubernetes quantity. */
  readonly memory: string;
}

/** Expresses a resize in the terms of an API group: a merge patch of the spec, or the conflict that prevents it. */
export type SizeEdit = { readonly spec: object; readonly conflict?: undefined } | { readonly conflict: string };

/** Options of a VM clone. */
export interface CloneOptions {
  readonly name: string;
  readonly namespace: string;
  /** Starts the clone immediately. */
  readonly start: boolean;
  /** Claims that replace those of the original, by volume name. */
  readonly claims: ReadonlyMap<string, string>;
  /** Dependencies of the VM that is cloned. */
  readonly dependencies?: Partial<VmDependencies>;
}

/** Adapts one API group with a VirtualMachine kind to the engine. All functions are pure. */
export interface Dialect<K extends Kind = Kind> {
  readonly kind: K;
  /** Suffix of instance names after the VM name: empty for kubevirt.io, `.hypersdk` and the like for others. */
  readonly instanceSuffix: string;
  /** Annotations that reach a running instance immediately. Others wait for the next start. */
  readonly liveAnnotations?: ReadonlySet<string>;
  /** Sizes are ratios of a node, so that the sizes of nodes must be known. */
  readonly sizedByNodes?: boolean;
  /** Dependencies that must be provided for this dialect. */
  readonly dependencies?: readonly DependencyName[];
  /** A VM moves to another node by a stop and a start, never by a live migration. */
  readonly migratesByRestart?: true;
  /** VMs have the subresources start, stop and restart of subresources.kubevirt.io. */
  readonly powerSubresources?: true;
  desiredVm(vm: ObjectOf<K>, dependencies?: VmDependencies): DesiredVm;
  /** Returns the state recorded in the status. */
  recordedState(vm: ObjectOf<K>): RecordedState;
  /** Returns the whole desired status. The engine writes it only if it differs. */
  report(vm: ObjectOf<K>, observed: ObservedVm, dependencies?: VmDependencies): object;
  /** Returns the state in one word, as metrics count it. */
  phase(vm: ObjectOf<K>): string;
  power(
    vm: ObjectOf<K>,
    action: PowerAction,
    instance: VirtualMachineInstance | undefined,
    options?: PowerOptions,
  ): PowerEdit;
  /**
   * Reports whether a VM that should run has ended by itself, and stays stopped or waits. Its spec already requests a
   * start, so that only a request can start it.
   */
  hasEnded?(vm: ObjectOf<K>): boolean;
  /**
   * Returns why a VM that should run delays its own start, if the group supports that. START_NOW overrides the delay.
   */
  startGate?(vm: ObjectOf<K>): { readonly waits?: Problem } | undefined;
  /** Returns the size of the VM by its spec. Defined together with `resize` if operations can change the size. */
  size?(vm: ObjectOf<K>): VmSize;
  resize?(vm: ObjectOf<K>, size: VmSize): SizeEdit;
  /** Returns a copy of the spec without the fields that are unique to a VM: addresses, serial numbers, disks. */
  cloneVmSpec?(vm: ObjectOf<K>, copying: CloneOptions): object;
  /** Returns the claim of a VM's disk, if the API group itself creates claims. Otherwise operations create them. */
  claimOf?(vm: string, disk: string): string;
}

/** Returns the name of a VM's instance, by which alone the instance is found. */
export function instanceName({ instanceSuffix }: Pick<Dialect, 'instanceSuffix'>, vm: string): string {
  return `${vm}${instanceSuffix}`;
}

/** Returns the name of the VM that an instance of this name would belong to, or undefined for another dialect. */
export function vmName({ instanceSuffix }: Pick<Dialect, 'instanceSuffix'>, instance: string): string | undefined {
  return instance.endsWith(instanceSuffix) ? instance.slice(0, instance.length - instanceSuffix.length) : undefined;
}
