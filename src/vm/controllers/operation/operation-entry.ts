import { OwnWrites } from '#platform/runtime/own-writes';
import { PendingWrites } from './pending-writes.ts';

/** Everything that the controller remembers of one operation between reconciliations. */
export class OperationEntry {
  uid: string;
  /** Writes of the operation's own status. */
  readonly ownWrites = new OwnWrites();
  /** Writes of other objects. */
  readonly pendingWrites = new PendingWrites();

  constructor(uid: string) {
    this.uid = uid;
  }
}
