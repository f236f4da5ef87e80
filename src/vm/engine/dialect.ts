import type { RunStrategy } from '#api/kubevirt/run-strategy';
import type { InstanceSpec, VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { DependencyName, VmDependencies } from './vm-dependencies.ts';

/** What a VirtualMachine of any group asks for, in the words of the engine. */
export interface DesiredVm {
  readonly runStrategy: RunStrategy;
  /** Labels and annotations of the instance, and through it of its pod. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: InstanceSpec;
  /** What keeps the machine from being started at all, told in a condition; it is looked at again when something changes. */
  readonly blocked?: Blocker;
  /** What the spec follows from beside the machine's own: an instance that was made from something else may differ. */
  readonly basis?: string;
  /** The node that the machine is put on without asking the scheduler. */
  readonly forcedNode?: string;
  /** The name of the pod of the first instance: somebody may have made it already. */
  readonly launcher?: string;
  /** The machine leaves a node by being stopped and started anew; otherwise evictions are for others to follow. */
  readonly evacuatesByRestart?: boolean;
  /** What becomes of a machine that ended by itself after it had run; as the run strategy says where absent. */
  readonly restarts?: RestartPolicy;
}

/** When a machine that ended by itself is started again. */
export interface RestartPolicy {
  readonly when: 'always' | 'onFailure' | 'never';
  readonly delayMs: number;
  /** So many in a row, and no more. */
  readonly max: number;
  /** A machine that has run for so long begins another row. */
  readonly windowMs: number;
  /** Why it is not restarted where it is not, in the words of its group. */
  readonly words: string;
}

/** What was decided when a machine last ended by itself. */
export interface Restarts {
  /** Restarts since the machine was started on request. */
  readonly total: number;
  readonly inRow: number;
  /** The uid of the instance whose end was last decided upon. */
  readonly lastInstance: string;
  /** The machine is not started before. */
  readonly retryAfter?: string;
  /** The machine stays down. */
  readonly gaveUp?: 'NotRestarted' | 'RestartsExhausted';
  /** The decision as a sentence. */
  readonly message: string;
}

/** Something that keeps a machine from being what it should be: a word for programs, a sentence for people. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
  /** It is as the user asked for, and nothing to warn of. */
  readonly asked?: true;
}

/** A problem that may be over at a known time, though nothing changes until then. */
export interface Blocker extends Problem {
  /** In milliseconds since 1970. */
  readonly until?: number;
  /** As a rule it is over in a moment, and not worth telling. */
  readonly transient?: true;
}

/** A start or stop that waits to be done. */
export interface PowerRequest {
  readonly action: 'Start' | 'Stop';
  /** Of the instance that is to be stopped. */
  readonly uid?: string;
  /** How to start: `paused: "true"` makes an instance whose machine stands still until it is asked to go on. */
  readonly data?: Readonly<Record<string, string>>;
}

/** Instances that ended before they ran, one after the other. */
export interface StartFailure {
  readonly consecutiveFailCount: number;
  readonly lastFailedVMIUID: string;
  /** The next start is not tried before. */
  readonly retryAfterTimestamp: string;
}

/** How an instance ended: by its guest, because it was told to, by a fault, or with its node. */
export interface Shutdown {
  readonly reason: 'GuestShutdown' | 'Stopped' | 'Error' | 'NodeLost';
  readonly message: string;
  readonly at: string;
}

/** The addresses of one network card; only cards on the network of pods have an IP address of ours. */
export interface InterfaceIdentity {
  readonly mac: string;
  readonly ip?: string;
}

/** Addresses by the name of the network card, kept through restart and migration. */
export type Identity = Readonly<Record<string, InterfaceIdentity>>;

/** What a user asked for beyond the spec, and what the engine remembers from one run of the machine to the next. */
export interface RecordedState {
  /** Handled one at a time, the first first. */
  readonly requests: readonly PowerRequest[];
  /** The strategy that was in force when an instance was last made or looked after; absent before the first instance. */
  readonly runStrategy?: RunStrategy;
  /** The generation of the spec that was last looked at. */
  readonly generation?: number;
  readonly startFailure?: StartFailure;
  readonly lastShutdown?: Shutdown;
  readonly restarts?: Restarts;
  readonly identity: Identity;
}

/** All that the engine has seen of a machine when it reports. */
export interface ObservedVm {
  /** The machine's own instance, as it is or is about to be. */
  readonly instance: VirtualMachineInstance | undefined;
  /** What is to be remembered from now on. */
  readonly recorded: RecordedState;
  /** Why the machine is not what it should be; absent where nothing new is known of it. */
  readonly problem?: Problem;
  /** The problem is over in a moment, as a rule. */
  readonly transient?: true;
  /** Fields that have been changed and reach the machine only with its next start. */
  readonly restartRequired: readonly string[];
  readonly now: number;
}

export type PowerAction = 'start' | 'stop' | 'restart';

export interface PowerOptions {
  /** Start: the machine stands still until it is asked to go on. */
  readonly paused?: boolean;
  /** Stop: how long the guest is given, in seconds; that of its spec where absent. */
  readonly gracePeriodSeconds?: number;
}

/**
 * How an action reads in the words of a group: a merge patch of the spec, requests that are to stand in the status in
 * place of those that do, or both (the requests are written first); or why it cannot be done, which is a conflict.
 */
export type PowerEdit =
  | {
      readonly spec?: object;
      readonly requests?: readonly PowerRequest[];
      /** What the instance's spec.terminationGracePeriodSeconds is to be, before anything else is written. */
      readonly gracePeriodSeconds?: number;
      readonly conflict?: undefined;
    }
  | { readonly conflict: string };

/** How large a machine is for its guest. */
export interface VmSize {
  readonly cpus: number;
  /** A quantity. */
  readonly memory: string;
}

/** How another size reads in the words of a group: a merge patch of the spec; or why it cannot be had. */
export type SizeEdit = { readonly spec: object; readonly conflict?: undefined } | { readonly conflict: string };

/** How a copy of a machine is to be. */
export interface CloneOptions {
  readonly name: string;
  readonly namespace: string;
  /** Whether it runs at once. */
  readonly start: boolean;
  /** By volume: the claim that stands in its place in the copy. */
  readonly claims: ReadonlyMap<string, string>;
  /** What surrounds the machine that is copied. */
  readonly dependencies?: Partial<VmDependencies>;
}

/** One API group that names a VirtualMachine: pure, and everything that the engine needs to know of it. */
export interface Dialect<K extends Kind = Kind> {
  readonly kind: K;
  /** What follows the name of a machine in that of its instance: nothing for kubevirt.io, `.hypersdk` and so on else. */
  readonly instanceSuffix: string;
  /** Annotations that reach the instance of a running machine at once; others wait for its next start. */
  readonly liveAnnotations?: ReadonlySet<string>;
  /** Whether sizes are shares of a node, so that nodes have to be known. */
  readonly sizedByNodes?: boolean;
  /** What of the surroundings has to be gathered for it. */
  readonly dependencies?: readonly DependencyName[];
  /** A machine goes to another node by being stopped and started there, never while it runs. */
  readonly migratesByRestart?: true;
  desiredVm(vm: ObjectOf<K>, dependencies?: VmDependencies): DesiredVm;
  /** What was remembered of it in its status. */
  recordedState(vm: ObjectOf<K>): RecordedState;
  /** The whole status as it should stand; the engine writes it only where it differs. */
  report(vm: ObjectOf<K>, observed: ObservedVm, dependencies?: VmDependencies): object;
  /** The state in one word, as metrics count it. */
  phase(vm: ObjectOf<K>): string;
  power(
    vm: ObjectOf<K>,
    action: PowerAction,
    instance: VirtualMachineInstance | undefined,
    options?: PowerOptions,
  ): PowerEdit;
  /** What a machine that is to run waits for of its own will, where it does such things: START_NOW overrules it. */
  startGate?(vm: ObjectOf<K>): { readonly waits?: Problem } | undefined;
  /** How large the machine is by its spec; with `resize`, where its size can be changed by an operation. */
  size?(vm: ObjectOf<K>): VmSize;
  resize?(vm: ObjectOf<K>, size: VmSize): SizeEdit;
  /** The spec of a machine that is the same, but for what tells two machines apart: addresses, serial numbers, disks. */
  cloneVmSpec?(vm: ObjectOf<K>, copying: CloneOptions): object;
  /** The claim that the disk of a machine is on, where the group itself makes claims; operations make them else. */
  claimOf?(vm: string, disk: string): string;
}

/** The instance of a machine is found by its name alone. */
export function instanceName({ instanceSuffix }: Pick<Dialect, 'instanceSuffix'>, vm: string): string {
  return `${vm}${instanceSuffix}`;
}

/** The machine that an instance of this name would belong to; undefined where it cannot be one of this dialect. */
export function vmName({ instanceSuffix }: Pick<Dialect, 'instanceSuffix'>, instance: string): string | undefined {
  return instance.endsWith(instanceSuffix) ? instance.slice(0, instance.length - instanceSuffix.length) : undefined;
}
