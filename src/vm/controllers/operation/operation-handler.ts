import type { NewObject, ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { PowerAction } from '#vm/engine/dialect';
import type { Checkpoint, Result } from './operation.ts';
import type { ActiveOperationView } from './operation-view.ts';

/** One thing that is done for an operation. Doing it again changes nothing more. */
export type WriteAction =
  /** As the dialect of the machine says. */
  | { readonly do: 'power'; readonly action: PowerAction; readonly force: boolean }
  /** The guest that shuts down is given no more time. */
  | { readonly do: 'force stop' }
  /** A merge patch of the machine as it was seen. */
  | { readonly do: 'patch VM'; readonly body: object }
  /** Made for the operation, and known by it: one of that name that is another's is a reason to fail. */
  | { readonly do: 'create'; readonly type: ResourceType; readonly object: NewObject<KubeObject> }
  | {
      readonly do: 'remove';
      readonly type: ResourceType;
      readonly name: string;
      readonly uid: string;
      readonly namespace?: string;
    };

/** What becomes of an operation now. */
export type StepResult =
  | {
      readonly to: 'continue';
      /** What is recorded before anything is done. */
      readonly checkpoint?: Partial<Checkpoint>;
      readonly progress?: number;
      readonly message?: string;
      readonly result?: Result;
      readonly actions?: readonly WriteAction[];
      /** When there is something new to tell, though nothing may have happened. */
      readonly requeueAfterMs?: number;
    }
  | {
      readonly to: 'succeed';
      readonly reason?: string;
      readonly message: string;
      readonly result?: Result;
      /** Done before it is told. */
      readonly actions?: readonly WriteAction[];
    }
  | {
      readonly to: 'fail';
      readonly reason: string;
      readonly message: string;
      readonly actions?: readonly WriteAction[];
    }
  /** Something that it names is not there yet: nothing has been begun. */
  | { readonly to: 'wait'; readonly reason: string; readonly message: string };

/** How giving up goes: what is left to be done, and in the end what stays as the operation has made it. */
export type AbortResult =
  | { readonly finished: false; readonly actions: readonly WriteAction[] }
  | {
      readonly finished: true;
      readonly stays: string;
      readonly actions?: readonly WriteAction[];
      readonly result?: Result;
    };

/** The way of one kind of operation. All is pure, and may be asked again after any step. */
export interface OperationHandler {
  /** The machine is there, and it is the operation's turn: refuses, has nothing to do, or says the first step. */
  begin(view: ActiveOperationView): StepResult;
  /** From the step that was recorded last. */
  advance(view: ActiveOperationView, checkpoint: Checkpoint): StepResult;
  /** Takes back what can be taken back. */
  abort(view: ActiveOperationView, checkpoint: Checkpoint): AbortResult;
  /** The machine is gone, or another one came by its name; a failure where absent. */
  onVmDeleted?(): StepResult;
  /** Whether it leaves something half done on its way: nobody may delete it before it has put that right. */
  needsFinalizer?(view: ActiveOperationView): boolean;
}

export const fail = (reason: string, message: string, actions: readonly WriteAction[] = []): StepResult => ({
  to: 'fail',
  reason,
  message,
  actions,
});

export const WAIT: StepResult = { to: 'continue' };

/** Asked for before the machine runs that is to, as in a folder of manifests that is applied at once. */
export const NOT_YET: StepResult = { to: 'wait', reason: 'Starting', message: 'the machine does not run yet' };

/** What a running machine keeps doing whatever becomes of the operation. */
export const stays = (text: string): AbortResult => ({ finished: true, stays: text });
