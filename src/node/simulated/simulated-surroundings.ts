import type { Random } from '../../base/random.ts';
import type { Vmi } from '../../kube/kinds/machines.ts';
import type { Pod } from '../../kube/kinds/pod.ts';
import type { EventRecorder } from '../../runtime/events/event-recorder.ts';
import type { Hold, ProbeAnswers, Surroundings } from '../agent/host.ts';
import { behaviourOf, PLAIN, readBehaviour } from './behaviour.ts';
import { startHold } from './pods/start-hold.ts';

/** What happens around pods on simulated nodes, as their annotations ask. */
export function simulatedSurroundings(
  random: Random,
  events: EventRecorder,
  usual: Readonly<Record<string, string>>,
): Surroundings {
  return {
    hold(pod: Pod, instance: Vmi | undefined, seenAt: number, now: number): Hold | undefined {
      const { behaviour, problems } = readBehaviour(instance?.metadata.annotations, pod.metadata.annotations, usual);
      if (behaviour === PLAIN && problems.length === 0) return undefined;
      for (const { message } of problems)
        events.event(pod, 'Warning', 'InvalidAnnotation', `${message}; it is ignored`);
      const draw = () => random.fork(pod.metadata.uid ?? '').next();
      const hold = startHold(behaviour, pod.spec.containers[0]?.image ?? '', { seenAt, now, draw });
      if (hold?.waiting.message !== undefined) {
        const reason = hold.waiting.reason === 'ErrImagePull' ? 'Failed' : 'BackOff';
        events.event(pod, 'Warning', reason, hold.waiting.message);
      }
      return hold;
    },
    answers(pod: Pod, instance: Vmi | undefined): ProbeAnswers {
      const { ready, alive } = behaviourOf(instance?.metadata.annotations, pod.metadata.annotations, usual);
      return { ready, alive };
    },
  };
}
