import type { Vm } from '#fleet/library/simulated-vm';
import type { FieldError } from '#platform/base/field-error';
import type { NodeLoad } from './node-load.ts';

/** A machine as scenario files write it, where it stands now. */
export interface ExportedVm {
  readonly id: string;
  readonly cpu_consumption: number;
  readonly memory_consumption: number;
  readonly pod_name: string;
  readonly scheduled_node: string;
}

/** A scenario that is to be loaded: nodes by name, and all machines, wherever they were. */
export interface FleetSpec {
  readonly name: string;
  readonly nodes: readonly NodeSpec[];
  /** What is wrong with it already; a fleet refuses it with these and with all that it finds itself. */
  readonly causes?: readonly FieldError[];
}

export interface NodeSpec {
  readonly name: string;
  /** Where the scenario says it in its file. */
  readonly path: string;
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly vms: readonly { readonly path: string; readonly vm: Vm }[];
}

export interface LoadResult {
  readonly nodes: number;
  readonly vms: number;
  /** Machines that no node has room for or that could not be made, and why. */
  readonly unplaced: readonly { readonly vm_id: string; readonly error: string }[];
}

export interface SuggestedMove {
  readonly vm_id: string;
  readonly from_node: string;
  /** Null where the scheduler may choose any other node. */
  readonly to_node: string | null;
}

export interface MoveResult extends SuggestedMove {
  /** Where the machine is now; '' where it is nowhere. */
  readonly actual_node: string;
  /** Whether it runs somewhere, wherever that is. */
  readonly success: boolean;
  /** Whether it went where it was to go; without such a place, whether it has left the one that it was on. */
  readonly as_suggested: boolean;
  readonly error: string | null;
}

/** What a scenario is refused for; nothing was changed. */
export class RejectedError extends Error {
  readonly causes: readonly FieldError[];
  /** 403 where the exporter may not do it, whoever asks. */
  readonly status: 400 | 403;

  constructor(causes: readonly FieldError[], status: 400 | 403 = 400) {
    super('refused');
    this.causes = causes;
    this.status = status;
  }
}

/** The nodes and machines that an exporter tells of and acts on: those of a cluster, or on paper. */
export interface FleetBackend {
  /** Whether machines are pods of a cluster. */
  readonly managed: boolean;
  /** Whether what is told is complete. */
  readonly ready: boolean;
  /** Of machines that are called by their name alone; absent where there are none. */
  readonly namespace?: string;
  /** Pods that say no number where they should say what they use, as `namespace/name`. */
  readonly unread?: ReadonlySet<string>;
  loads(): readonly NodeLoad[];
  load(node: string): NodeLoad | undefined;
  /** Whether machines can be on a node of that name that a scenario does not list. */
  has(node: string): boolean;
  vmsOn(node: string): readonly ExportedVm[];
  /** Replaces the machines of an earlier scenario; settles when each is placed or known not to be. Throws a RefusedError. */
  replace(wanted: FleetSpec, signal: AbortSignal): Promise<LoadResult>;
  /** Moves machines; settles when each has a place again or is known not to. */
  move(moves: readonly SuggestedMove[], signal: AbortSignal): Promise<readonly MoveResult[]>;
  /** Looks at everything anew. */
  refresh(signal: AbortSignal): Promise<void>;
}
