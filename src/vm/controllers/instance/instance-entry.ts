import type { Vmi } from '#api/kubevirt/resources';
import type { Context } from '#platform/runtime/controller';
import { Expectation } from '#platform/runtime/expectation';

/** Everything that the controller remembers of one instance between reconciliations. */
export class InstanceEntry {
  /** Writes to the pods of the instance that the cache may not show yet. */
  readonly podWrites = new Expectation();
  /** Writes to the instance itself that the cache may not show yet. */
  readonly instanceWrites = new Expectation();
  #waiting = false;
  /** Node of a pod that was deleted without notice, with the uid of its instance. */
  #abandoned: { readonly uid: string; readonly node: string } | undefined;
  /** Time since which the node agent has owed a report, with the uid of the instance. */
  #owed: { readonly uid: string; readonly since: number } | undefined;

  /** Records that the instance waits for the caches to show earlier writes. */
  wait(): void {
    this.#waiting = true;
  }

  /** Ends the wait for the caches. Reports whether the instance was waiting. */
  endWait(): boolean {
    const waited = this.#waiting;
    this.#waiting = false;
    return waited;
  }

  abandon(uid: string, node: string): void {
    this.#abandoned = { uid, node };
  }

  abandonedNode({ metadata }: Vmi): string | undefined {
    return this.#abandoned?.uid === metadata.uid ? this.#abandoned.node : undefined;
  }

  /** Records that the node agent owes a report. Returns how long it has owed it. `now` is monotonic. */
  owe({ metadata: { uid } }: Vmi, now: number): number {
    if (this.#owed?.uid !== uid) this.#owed = { uid, since: now };
    return now - this.#owed.since;
  }

  /** Returns how long the node agent has owed a report, and 0 if it owes none. */
  owedMs({ metadata }: Vmi, now: number): number {
    return this.#owed?.uid === metadata.uid ? now - this.#owed.since : 0;
  }

  oweNothing(): void {
    this.#owed = undefined;
  }
}

/** One instance in one reconciliation. */
export interface InstanceScope {
  readonly vmi: Vmi;
  readonly entry: InstanceEntry;
  readonly context: Context;
}
