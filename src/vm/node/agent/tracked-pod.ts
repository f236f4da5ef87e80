import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import type { KubeObject } from '#platform/kube/kube-object';
import type { OwnWrites } from '#platform/runtime/own-writes';
import { compareResourceVersions } from '#platform/runtime/resource-version';
import type { Cause } from './termination.ts';

/** What an agent remembers of a pod that is bound to one of its nodes. All of it can be found out anew. */
export interface TrackedPod {
  readonly key: string;
  readonly podUid: string;
  readonly node: string;
  /** When the pod came to the node, in milliseconds since 1970. */
  readonly seenAt: number;
  /** What was written last, while caches may not show it yet. */
  pod?: Pod | undefined;
  instance?: Vmi | undefined;
  /** The pod as it was when it went. */
  gone?: Pod;
  /** Of the pod and of its instance. */
  readonly writes: OwnWrites;
  /** Something else than what was written here was seen meanwhile. */
  stale?: boolean;
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
  /** How long the guest was last given to shut down. */
  requestedGraceMs?: number;
}

export function newTrackedPod(pod: Pod, key: string, now: number, writes: OwnWrites): TrackedPod {
  const { startTime } = pod.status ?? {};
  return {
    key,
    podUid: pod.metadata.uid ?? '',
    node: pod.spec.nodeName ?? '',
    seenAt: startTime === undefined ? now : Date.parse(startTime),
    writes,
  };
}

/** The newer of what the cache shows and what was written; what the cache has dropped is gone. */
export function newest<T extends KubeObject>(cached: T | undefined, written: T | undefined): T | undefined {
  if (cached === undefined || written === undefined || cached.metadata.uid !== written.metadata.uid) return cached;
  const order = compareResourceVersions(cached.metadata.resourceVersion ?? '', written.metadata.resourceVersion ?? '');
  return order >= 0 ? cached : written;
}

/** Waits for a write, and tells what is seen of it in the meantime from what is news. */
export function noteWrite<T extends KubeObject>(run: TrackedPod, write: Promise<T>): Promise<T> {
  return run.writes.during(run.key, write, () => {
    run.stale = true;
  });
}

/** What was written, where the cache does not show it yet. */
export function unseen<T extends KubeObject>(written: T, cached: T | undefined): T | undefined {
  return newest(cached, written) === written ? written : undefined;
}

/** Whether a change that is told of was made here, or will be looked at in any case. */
export function isKnown(run: TrackedPod, kind: 'pod' | 'instance', object: KubeObject): boolean {
  const version = object.metadata.resourceVersion ?? '';
  if (run[kind]?.metadata.resourceVersion === version) {
    run[kind] = undefined;
    return true;
  }
  return run.writes.isOwnWrite(run.key, version);
}
