import type { Vm } from '#fleet/library/simulated-vm';
import type { FieldError } from '#platform/base/field-error';
import type { NodeLoad } from './node-load.ts';

/** VM in the format of scenario files, on its current node. */
export interface ExportedVm {
  readonly id: string;
  readonly cpu_consumption: number;
  readonly memory_consumption: number;
  readonly pod_name: string;
  readonly scheduled_node: string;
}

/** Scenario to load: nodes by name, and all VMs, wherever they were. */
export interface FleetSpec {
  readonly name: string;
  readonly nodes: readonly NodeSpec[];
  /** Known problems. A fleet rejects the scenario with these and with all that it finds itself. */
  readonly causes?: readonly FieldError[];
}

export interface NodeSpec {
  readonly name: string;
  /** Path of the node in the scenario file. */
  readonly path: string;
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly vms: readonly { readonly path: string; readonly vm: Vm }[];
}

export interface LoadResult {
  readonly nodes: number;
  readonly vms: number;
  /** VMs that fit on no node or could not be created, with the reason. */
  readonly unplaced: readonly { readonly vm_id: string; readonly error: string }[];
}

export interface SuggestedMove {
  readonly vm_id: string;
  readonly from_node: string;
  /** Destination. Null if the scheduler may choose any other node. */
  readonly to_node: string | null;
}

export interface MoveResult extends SuggestedMove {
  /** Current node of the VM. '' if it has none. */
  readonly actual_node: string;
  /** Set if the VM runs, on whatever node. */
  readonly success: boolean;
  /** Set if the VM is on the suggested node, or without a suggestion has left its former node. */
  readonly as_suggested: boolean;
  readonly error: string | null;
}

/** Rejects a request with these causes. Nothing was changed. */
export class RejectedError extends Error {
  readonly causes: readonly FieldError[];
  /** HTTP status. 403 if the exporter itself lacks the permission. */
  readonly status: 400 | 403;

  constructor(causes: readonly FieldError[], status: 400 | 403 = 400) {
    super('refused');
    this.causes = causes;
    this.status = status;
  }
}

/** Nodes and VMs that an exporter serves: those of a cluster, or in memory. */
export interface FleetBackend {
  /** Set if VMs are pods of a cluster. */
  readonly managed: boolean;
  /** Set if the data is complete. */
  readonly ready: boolean;
  /** Namespace of VMs that are named without one. Absent if there is none. */
  readonly namespace?: string;
  /** Pods whose usage annotations are not numbers, as `namespace/name`. */
  readonly unread?: ReadonlySet<string>;
  loads(): readonly NodeLoad[];
  load(node: string): NodeLoad | undefined;
  /** Reports whether VMs can be on a node of that name that a scenario does not list. */
  has(node: string): boolean;
  vmsOn(node: string): readonly ExportedVm[];
  /**
   * Replaces the VMs of an earlier scenario. Resolves when each is placed or known to be unschedulable, and throws a
   * RejectedError.
   */
  replace(desired: FleetSpec, signal: AbortSignal): Promise<LoadResult>;
  /** Moves VMs. Resolves when each is placed again or known to be unschedulable. */
  move(moves: readonly SuggestedMove[], signal: AbortSignal): Promise<readonly MoveResult[]>;
  /** Reads everything again. */
  refresh(signal: AbortSignal): Promise<void>;
}
