import type { Vmi } from '../../kube/kinds/machines.ts';
import type { Pod } from '../../kube/kinds/pod.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import { compareResourceVersions } from '../../runtime/resource-version.ts';
import type { Cause } from './ending.ts';

/** What an agent remembers of a pod that is bound to one of its nodes. All of it can be found out anew. */
export interface Run {
  readonly key: string;
  readonly podUid: string;
  readonly node: string;
  /** When the pod came to the node, in milliseconds since 1970. */
  readonly seenAt: number;
  /** What was written last, while caches may not show it yet. */
  pod?: Pod | undefined;
  instance?: Vmi | undefined;
  /** The machine that the pod holds the place of. */
  machineId?: string;
  /** The machine is made ready, but must not run before its instance says that it runs here. */
  held?: boolean;
  /** Something is being done to the machine: that it changes is no news. */
  acting?: boolean;
  /** Where the machine is waited for that is to come from another node. */
  listensAt?: string;
  cause?: Cause;
  unhealthySince?: number | undefined;
}

export function newRun(pod: Pod, key: string, now: number): Run {
  const { startTime } = pod.status ?? {};
  return {
    key,
    podUid: pod.metadata.uid ?? '',
    node: pod.spec.nodeName ?? '',
    seenAt: startTime === undefined ? now : Date.parse(startTime),
  };
}

/** The newer of what the cache shows and what was written; what the cache has dropped is gone. */
export function newest<T extends KubeObject>(cached: T | undefined, written: T | undefined): T | undefined {
  if (cached === undefined || written === undefined || cached.metadata.uid !== written.metadata.uid) return cached;
  const order = compareResourceVersions(cached.metadata.resourceVersion ?? '', written.metadata.resourceVersion ?? '');
  return order >= 0 ? cached : written;
}
