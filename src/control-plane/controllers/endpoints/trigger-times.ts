import { conditionOf } from '#platform/kube/kinds/condition';
import type { Service } from '#platform/kube/kinds/core';
import type { Pod } from '#platform/kube/kinds/pod';
import { keyOf } from '#platform/runtime/key';

interface Known {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

/** Tells which change of a Service or its pods is being published, by which the delay of publishing is measured. */
export class TriggerTimes {
  readonly #known = new Map<string, Known>();

  /** Returns the time of the first change since the last call, undefined if there was none. */
  next(service: Service, pods: readonly Pod[]): string | undefined {
    const key = keyOf(service);
    const before = this.#known.get(key);
    const created = service.metadata.creationTimestamp ?? '';
    const times = new Map(pods.map((pod) => [pod.metadata.name ?? '', readyChange(pod)]));
    this.#known.set(key, { service: created, pods: times });
    if (before === undefined) return created === '' ? undefined : created;
    const changed = [...times].filter(([name, time]) => time > (before.pods.get(name) ?? '')).map(([, time]) => time);
    if (created > before.service) changed.push(created);
    return changed.sort()[0];
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}

const readyChange = ({ status }: Pod): string => conditionOf(status?.conditions, 'Ready')?.lastTransitionTime ?? '';
