import type { NewObject, ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { PowerAction } from '#vm/engine/dialect';
import type { Checkpoint, Result } from './operation.ts';
import type { Active } from './sight.ts';

/** One thing that is done for an operation. Doing it again changes nothing more. */
export type Deed =
  /** As the dialect of the machine says. */
  | { readonly do: 'power'; readonly action: PowerAction; readonly force: boolean }
  /** The guest that shuts down is given no more time. */
  | { readonly do: 'cut' }
  /** A merge patch of the machine as it was seen. */
  | { readonly do: 'change machine'; readonly body: object }
  /** Made for the operation, and known by it: one of that name that is another's is a reason to fail. */
  | { readonly do: 'make'; readonly type: ResourceType; readonly object: NewObject<KubeObject> }
  | {
      readonly do: 'remove';
      readonly type: ResourceType;
      readonly name: string;
      readonly uid: string;
      readonly namespace?: string;
    };

/** What becomes of an operation now. */
export type Turn =
  | {
      readonly to: 'go on';
      /** What is recorded before anything is done. */
      readonly checkpoint?: Partial<Checkpoint>;
      readonly progress?: number;
      readonly message?: string;
      readonly result?: Result;
      readonly deeds?: readonly Deed[];
      /** When there is something new to tell, though nothing may have happened. */
      readonly afterMs?: number;
    }
  | {
      readonly to: 'succeed';
      readonly reason?: string;
      readonly message: string;
      readonly result?: Result;
      /** Done before it is told. */
      readonly deeds?: readonly Deed[];
    }
  | {
      readonly to: 'fail';
      readonly reason: string;
      readonly message: string;
      readonly deeds?: readonly Deed[];
    }
  /** Something that it names is not there yet: nothing has been begun. */
  | { readonly to: 'wait'; readonly reason: string; readonly message: string };

/** How giving up goes: what is left to be done, and in the end what stays as the operation has made it. */
export type GivingUp =
  | { readonly over: false; readonly deeds: readonly Deed[] }
  | { readonly over: true; readonly stays: string; readonly deeds?: readonly Deed[]; readonly result?: Result };

/** The way of one kind of operation. All is pure, and may be asked again after any step. */
export interface Course {
  /** The machine is there, and it is the operation's turn: refuses, has nothing to do, or says the first step. */
  begin(sight: Active): Turn;
  /** From the step that was recorded last. */
  go(sight: Active, checkpoint: Checkpoint): Turn;
  /** Takes back what can be taken back. */
  giveUp(sight: Active, checkpoint: Checkpoint): GivingUp;
  /** The machine is gone, or another one came by its name; a failure where absent. */
  gone?(): Turn;
  /** Whether it leaves something half done on its way: nobody may delete it before it has put that right. */
  isHeld?(sight: Active): boolean;
}

export const fail = (reason: string, message: string, deeds: readonly Deed[] = []): Turn => ({
  to: 'fail',
  reason,
  message,
  deeds,
});

export const WAIT: Turn = { to: 'go on' };

/** Asked for before the machine runs that is to, as in a folder of manifests that is applied at once. */
export const NOT_YET: Turn = { to: 'wait', reason: 'Starting', message: 'the machine does not run yet' };

/** What a running machine keeps doing whatever becomes of the operation. */
export const stays = (text: string): GivingUp => ({ over: true, stays: text });
