import type { Vmi } from '#api/kubevirt/resources';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { transitionsOf } from '#vm/usage/instance-transitions';

/** Records the transitions of an instance after a write, as events and in the launcher's log. */
export function recordTransitions(before: Vmi, after: Vmi, events: EventRecorder, say: (text: string) => void): void {
  for (const { type, reason, message } of transitionsOf(before, after)) {
    events.event(after, type, reason, message);
    say(message);
  }
}
