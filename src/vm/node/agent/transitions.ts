import type { Vmi } from '#api/kubevirt/resources';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { transitionsOf } from '#vm/usage/instance-transitions';

/** Tells users, and the log of the launcher, what became of an instance by what was just written of it. */
export function recordTransitions(before: Vmi, after: Vmi, events: EventRecorder, say: (text: string) => void): void {
  for (const { type, reason, message } of transitionsOf(before, after)) {
    events.event(after, type, reason, message);
    say(message);
  }
}
