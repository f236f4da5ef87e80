import type { NewObject, ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { PowerAction } from '#vm/engine/dialect';
import type { Checkpoint, Result } from './operation.ts';
import type { ActiveOperationView } from './operation-view.ts';

/** Write that is done for an operation. It is idempotent. */
export type WriteAction =
  /** Applies a power action as the dialect of the VM defines it. */
  | { readonly do: 'power'; readonly action: PowerAction; readonly force: boolean }
  /** Ends the grace period of a guest that is shutting down. */
  | { readonly do: 'force stop' }
  /** Applies a merge patch to the VM as it was observed. */
  | { readonly do: 'patch VM'; readonly body: object }
  /**
   * Creates an object that is marked as the operation's. An object of the same name that is not its own makes it fail.
   */
  | { readonly do: 'create'; readonly type: ResourceType; readonly object: NewObject<KubeObject> }
  | {
      readonly do: 'remove';
      readonly type: ResourceType;
      readonly name: string;
      readonly uid: string;
      readonly namespace?: string;
    };

/** Result of a step of an operation. */
export type StepResult =
  | {
      readonly to: 'continue';
      /** Checkpoint to record before anything is done. */
      readonly checkpoint?: Partial<Checkpoint>;
      readonly progress?: number;
      readonly message?: string;
      readonly result?: Result;
      readonly actions?: readonly WriteAction[];
      /** Delay until there is something new to report, even without an event. */
      readonly requeueAfterMs?: number;
    }
  | {
      readonly to: 'succeed';
      readonly reason?: string;
      readonly message: string;
      readonly result?: Result;
      /** Actions to execute before the result is reported. */
      readonly actions?: readonly WriteAction[];
    }
  | {
      readonly to: 'fail';
      readonly reason: string;
      readonly message: string;
      readonly actions?: readonly WriteAction[];
    }
  /** Something that the operation references does not exist yet, so nothing has been started. */
  | { readonly to: 'wait'; readonly reason: string; readonly message: string };

/** Result of an abort: the remaining actions, and at the end what stays of the operation's changes. */
export type AbortResult =
  | { readonly finished: false; readonly actions: readonly WriteAction[] }
  | {
      readonly finished: true;
      readonly stays: string;
      readonly actions?: readonly WriteAction[];
      readonly result?: Result;
    };

/** Logic of one kind of operation. All methods are pure, and may be called again after any step. */
export interface OperationHandler {
  /**
   * Decides the first step when the VM exists and it is the operation's turn: it fails, has nothing to do, or starts.
   */
  begin(view: ActiveOperationView): StepResult;
  /** Continues from the step that was recorded last. */
  advance(view: ActiveOperationView, checkpoint: Checkpoint): StepResult;
  /** Reverts what can be reverted. */
  abort(view: ActiveOperationView, checkpoint: Checkpoint): AbortResult;
  /** Handles a VM that was deleted, or replaced by another of its name. Defaults to a failure. */
  onVmDeleted?(): StepResult;
  /** Reports whether the operation has intermediate states that it must clean up before it may be deleted. */
  needsFinalizer?(view: ActiveOperationView): boolean;
}

export const fail = (reason: string, message: string, actions: readonly WriteAction[] = []): StepResult => ({
  to: 'fail',
  reason,
  message,
  actions,
});

export const WAIT: StepResult = { to: 'continue' };

/**
 * Result for an operation that was created before its VM runs, for example with a directory of manifests that is
 * applied at once.
 */
export const NOT_YET: StepResult = { to: 'wait', reason: 'Starting', message: 'the VM is not running yet' };

/** Returns the result of an abort that leaves a running VM as it is. */
export const stays = (text: string): AbortResult => ({ finished: true, stays: text });
