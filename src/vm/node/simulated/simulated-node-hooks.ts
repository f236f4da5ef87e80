import type { Vmi } from '#api/kubevirt/resources';
import { TemporaryError, VimanaError } from '#platform/base/errors';
import type { Random } from '#platform/base/random';
import type { Pod } from '#platform/kube/kinds/pod';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import type { NodeHooks, ProbeResponses, StartBlock } from '../agent/managed-node.ts';
import type { MachineSpec } from '../machine-spec.ts';
import { behaviorOf, PLAIN, readBehavior } from './behavior.ts';
import { afterWrites, GUEST_WRITE_ANNOTATION, type GuestWrites, readGuestWrites } from './guest-write.ts';
import type { SimulatedDriver } from './machine/simulated-driver.ts';
import { claimOf } from './machine/simulation.ts';
import { startBlock } from './pods/start-block.ts';

/** Applies the pending writes of a guest. */
async function write(
  { id, writes }: GuestWrites,
  { id: machine, disks, namespace }: MachineSpec,
  driver: SimulatedDriver,
): Promise<void> {
  const writable = disks.filter(({ readonly }) => !readonly);
  const unknown = writes.find(({ disk }) => disk !== undefined && !writable.some(({ name }) => name === disk));
  if (unknown !== undefined) throw new RangeError(`the VM has no writable disk ${unknown.disk}`);
  for (const [index, disk] of writable.entries()) {
    const own = writes.filter((each) => (each.disk === undefined ? index === 0 : each.disk === disk.name));
    const claim = claimOf(disk);
    const known = claim === undefined ? undefined : driver.simulation.store.known(namespace, claim);
    if (own.length === 0 || known?.wrote === id) continue;
    await driver.write(machine, disk.name, (now) => afterWrites(now, { id, writes: own }));
  }
  if (writable.length === 0) throw new RangeError('the VM has no writable disk');
}

/** Returns the hooks of simulated nodes, which follow the annotations of pods. */
export function simulatedNodeHooks(
  random: Random,
  events: EventRecorder,
  fallback: Readonly<Record<string, string>>,
): NodeHooks {
  return {
    startBlock(pod: Pod, instance: Vmi | undefined, seenAt: number, now: number): StartBlock | undefined {
      const { behavior, problems } = readBehavior(instance?.metadata.annotations, pod.metadata.annotations, fallback);
      if (behavior === PLAIN && problems.length === 0) return undefined;
      for (const { message } of problems)
        events.event(pod, 'Warning', 'InvalidAnnotation', `${message}; it is ignored`);
      const draw = () => random.fork(pod.metadata.uid ?? '').next();
      const hold = startBlock(behavior, pod.spec.containers[0]?.image ?? '', { seenAt, now, draw });
      if (hold?.waiting.message !== undefined) {
        const reason = hold.waiting.reason === 'ErrImagePull' ? 'Failed' : 'BackOff';
        events.event(pod, 'Warning', reason, hold.waiting.message);
      }
      return hold;
    },
    probeAnswers(pod: Pod, instance: Vmi | undefined): ProbeResponses {
      const { ready, alive } = behaviorOf(instance?.metadata.annotations, pod.metadata.annotations, fallback);
      return { ready, alive };
    },
    async attend(pod, instance, { spec }, driver) {
      const text =
        instance.metadata.annotations?.[GUEST_WRITE_ANNOTATION] ?? pod.metadata.annotations?.[GUEST_WRITE_ANNOTATION];
      if (text === undefined) return;
      const refuse = (why: string) =>
        events.event(instance, 'Warning', 'InvalidAnnotation', `${GUEST_WRITE_ANNOTATION}: ${why}; it is ignored`);
      try {
        await write(readGuestWrites(text), spec, driver as SimulatedDriver);
      } catch (error) {
        if (error instanceof TemporaryError || !(error instanceof RangeError || error instanceof VimanaError))
          throw error;
        refuse(error.message);
      }
    },
  };
}
