import type { Timer } from '#platform/base/clock';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { isConflict, isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { ControllerDeps } from '#platform/runtime/controller';
import { keyOf, splitKey } from '#platform/runtime/key';
import { runReflector } from '#platform/runtime/reflector';
import type { Runnable } from '#platform/runtime/runnable';
import { ExpiryLine } from './expiry-line.ts';

interface Event extends KubeObject {
  readonly eventTime?: string | null;
  readonly lastTimestamp?: string | null;
  readonly series?: { readonly lastObservedTime?: string | null };
}

const EVENTS = resourceType<Event>('v1', 'Event', 'events');
const LIFE_MS = 60 * 60_000;
const RETRY_MS = 60_000;

/** Deletes Events an hour after they were last written. A single timer waits for the oldest one. */
export function eventTtl(parts: ControllerDeps): Runnable {
  const { client, clock } = parts;
  const log = parts.log.child({ controller: 'event expiry' });
  const line = new ExpiryLine();
  let timer: Timer | undefined;
  let ending: Promise<void> | undefined;

  function arm(): void {
    timer?.cancel();
    timer = undefined;
    const head = line.head();
    if (head !== undefined && ending === undefined) timer = clock.timer(head.due - clock.now(), expire);
  }

  function expire(): void {
    timer = undefined;
    ending = endAll().finally(() => {
      ending = undefined;
      arm();
    });
  }

  async function endAll(): Promise<void> {
    for (let head = line.head(); head !== undefined && head.due <= clock.now(); head = line.head()) {
      line.remove(head.key);
      const { namespace, name } = splitKey(head.key);
      try {
        await client.delete(EVENTS, name, { namespace, preconditions: { uid: head.uid } });
      } catch (error) {
        if (isNotFound(error) || isConflict(error)) continue;
        log.warn({ key: head.key, err: error }, 'failed to delete an event');
        line.put(head.key, head.uid, clock.now() + RETRY_MS);
      }
    }
  }

  const uidOf = ({ metadata }: Event) => metadata.uid ?? '';
  return {
    name: 'event expiry',
    async run(signal) {
      const store = {
        put(event: Event) {
          line.put(keyOf(event), uidOf(event), clock.now() + LIFE_MS);
          if (timer === undefined) arm();
        },
        remove: (event: Event) => line.remove(keyOf(event)),
        reached: () => {},
        replace(events: readonly Event[]) {
          line.replace(
            events.map((event) => ({ key: keyOf(event), uid: uidOf(event), due: lastWritten(event) + LIFE_MS })),
          );
          arm();
        },
      };
      await runReflector({ ...parts, log, type: EVENTS, store }, signal);
      timer?.cancel();
      await ending;
    },
  };
}

/** Returns when an Event was last written, as far as its fields show. */
function lastWritten({ metadata, eventTime, lastTimestamp, series }: Event): number {
  const times = [metadata.creationTimestamp, eventTime, lastTimestamp, series?.lastObservedTime];
  return Math.max(...times.map((time) => (typeof time === 'string' ? Date.parse(time) : 0)));
}
