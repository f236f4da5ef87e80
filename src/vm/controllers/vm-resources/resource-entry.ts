import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { Expectation } from '#platform/runtime/expectation';
import type { OwnerVm } from './group.ts';

/** Everything that the controller remembers of the resources of one VM between reconciliations. */
export class ResourceEntry {
  /** Writes to claims and Services that the caches may not show yet. */
  readonly claimWrites = new Expectation();
  readonly serviceWrites = new Expectation();
  #lastMessage: string | undefined;

  /** Records a warning, unless it is the last one that was recorded. */
  warn(vm: OwnerVm, reason: string, message: string, events: EventRecorder): void {
    if (this.#lastMessage === message) return;
    this.#lastMessage = message;
    events.event(vm, 'Warning', reason, message);
  }
}
