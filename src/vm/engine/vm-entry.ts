import type { Vmi } from '#api/kubevirt/resources';
import { Expectation } from '#platform/runtime/expectation';
import { OwnWrites } from '#platform/runtime/own-writes';
import type { ObservedVm, Shutdown } from './dialect.ts';
import { isMarkedForEvacuation } from './instance-state.ts';

/** Time that a transient problem may last before it is reported. */
const TRANSIENT_PROBLEM_MS = 500;

/** Everything that the controller remembers of one VM between reconciliations. All of it can be rediscovered. */
export class VmEntry {
  readonly uid: string;
  /** Writes to the instance that the cache may not show yet. */
  readonly instanceWrites = new Expectation();
  /** Writes to the VM that the cache may not show yet. */
  readonly vmWrites = new Expectation();
  readonly ownWrites = new OwnWrites();
  /** Set while the instance is being created. */
  creating = false;
  /** Shutdown missing from the status, because the VM was in a transient state when it was observed. */
  unreported: Shutdown | undefined;
  /** Time when the instance was first seen marked for evacuation. */
  evacuationRequested: number | undefined;
  #waiting = false;
  #problemSince: number | undefined;

  constructor(uid: string) {
    this.uid = uid;
  }

  /** Records that the VM waits for the cache to show the last write. */
  wait(): void {
    this.#waiting = true;
  }

  /** Ends the wait for the cache. Reports whether the VM was waiting. */
  endWait(): boolean {
    const waited = this.#waiting;
    this.#waiting = false;
    return waited;
  }

  noteEvacuation(instance: Vmi | undefined, now: number): void {
    if (instance === undefined || !isMarkedForEvacuation(instance)) this.evacuationRequested = undefined;
    else this.evacuationRequested ??= now;
  }

  /** Returns how long a transient problem must still last before it is reported. `now` is monotonic. */
  transientProblemMs({ transient }: ObservedVm, now: number): number {
    if (transient !== true) {
      this.#problemSince = undefined;
      return 0;
    }
    this.#problemSince ??= now;
    return Math.max(0, this.#problemSince + TRANSIENT_PROBLEM_MS - now);
  }
}
