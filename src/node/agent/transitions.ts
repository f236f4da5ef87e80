import { transitionsOf } from '../../kube/instance-transitions.ts';
import type { Vmi } from '../../kube/kinds/machines.ts';
import type { EventRecorder } from '../../runtime/events/event-recorder.ts';

/** Tells users, and the log of the launcher, what became of an instance by what was just written of it. */
export function tellOfInstance(before: Vmi, after: Vmi, events: EventRecorder, say: (text: string) => void): void {
  for (const { type, reason, message } of transitionsOf(before, after)) {
    events.event(after, type, reason, message);
    say(message);
  }
}
