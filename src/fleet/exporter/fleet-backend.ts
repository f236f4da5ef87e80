import type { Vm } from '#fleet/library/simulated-vm';
import type { FieldError } from '#platform/base/field-error';
import type { NodeLoad } from './node-load.ts';

/** VM in the format of scenario files, on its current node. */
export interface ExportedVm extends Partial<ExportedRules> {
  readonly id: string;
  readonly cpu_consumption: number;
  readonly memory_consumption: number;
  readonly pod_name: string;
  readonly scheduled_node: string;
}

/** Restrictions of the moves of a VM. Absent fields restrict nothing. */
export interface ExportedRules {
  /** Cores and bytes that the VM requests from the scheduler. */
  readonly cpu_request: number;
  readonly memory_request: number;
  /** Nodes whose taints or labels exclude the VM. */
  readonly excluded_nodes?: readonly string[];
  /** PodDisruptionBudgets that cover the VM. */
  readonly budgets?: readonly { readonly name: string; readonly disruptions_allowed: number }[];
  /** Seconds since it last moved to another node. Absent if that is not known. */
  readonly seconds_since_move?: number;
}

/** Whether a node accepts VMs, and what they may still request there. */
export interface Acceptance {
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  readonly freeCores: number;
  readonly freeBytes: number;
}

/**
 * Component that decides where a VM goes: the scheduler, after a restart, or the planner, whose suggestion a live
 * migration follows if the VM can migrate.
 */
export type Destinations = 'planner' | 'scheduler';

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
  /** Set if the VM has left its former node for another one, whichever. */
  readonly success: boolean;
  /** Set if the VM has moved to the suggested node, or without a suggestion to any. */
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
  /** Returns whether a node accepts VMs. Absent if all nodes always do. */
  acceptanceOf?(node: string): Acceptance | undefined;
  vmsOn(node: string): readonly ExportedVm[];
  /**
   * Replaces the VMs of an earlier scenario. Resolves when each is placed or known to be unschedulable, and throws a
   * RejectedError.
   */
  replace(desired: FleetSpec, signal: AbortSignal): Promise<LoadResult>;
  /** Moves VMs. Resolves when each is placed again or known to be unschedulable. */
  move(
    moves: readonly SuggestedMove[],
    signal: AbortSignal,
    destinations?: Destinations,
  ): Promise<readonly MoveResult[]>;
  /** Reads everything again. */
  refresh(signal: AbortSignal): Promise<void>;
}
