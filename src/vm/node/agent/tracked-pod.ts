import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import type { KubeObject } from '#platform/kube/kube-object';
import { OwnWrites } from '#platform/runtime/own-writes';
import { compareResourceVersions } from '#platform/runtime/resource-version';
import type { Cause } from './termination.ts';

/** State that a node agent retains for a pod on one of its nodes. All of it can be rediscovered. */
export interface TrackedPod {
  readonly key: string;
  readonly podUid: string;
  readonly node: string;
  /** Time when the pod arrived on the node, in milliseconds since the Unix epoch. */
  readonly seenAt: number;
  /** Last written version, while caches may not show it yet. */
  pod?: Pod | undefined;
  instance?: Vmi | undefined;
  /** Last version of the pod before its deletion. */
  gone?: Pod;
  /** Own writes to the pod and its instance. */
  readonly writes: OwnWrites;
  /** A change other than an own write was observed meanwhile. */
  stale?: boolean;
  /** Machine that belongs to the pod. */
  machineId?: string;
  /** The machine is prepared, but must not run before its instance reports that it runs here. */
  held?: boolean;
  /** An action on the machine is in progress, so that its changes are no news. */
  acting?: boolean;
  /** Ends the wait for a change that lets a failed action succeed. */
  stopWaiting?: AbortController;
  /** Address where the node waits for the machine to arrive by migration. */
  listensAt?: string;
  cause?: Cause;
  unhealthySince?: number | undefined;
  /** Grace period of the last shutdown request to the guest. */
  requestedGraceMs?: number;
  /** Preparation of the machine that was recorded as an event. */
  preparing?: string;
}

export function newTrackedPod(pod: Pod, key: string, now: number): TrackedPod {
  const { startTime } = pod.status ?? {};
  return {
    key,
    podUid: pod.metadata.uid ?? '',
    node: pod.spec.nodeName ?? '',
    seenAt: startTime === undefined ? now : Date.parse(startTime),
    writes: new OwnWrites(),
  };
}

/** Returns the newer of the cached and the written object. An object that left the cache is gone. */
export function newest<T extends KubeObject>(cached: T | undefined, written: T | undefined): T | undefined {
  if (cached === undefined || written === undefined || cached.metadata.uid !== written.metadata.uid) return cached;
  const order = compareResourceVersions(cached.metadata.resourceVersion ?? '', written.metadata.resourceVersion ?? '');
  return order >= 0 ? cached : written;
}

/** Awaits a write, and distinguishes its own watch events from news. */
export function noteWrite<T extends KubeObject>(run: TrackedPod, write: Promise<T>): Promise<T> {
  return run.writes.during(write, () => {
    run.stale = true;
  });
}

/** Returns the written object if the cache does not show it yet. */
export function ifNotCached<T extends KubeObject>(written: T, cached: T | undefined): T | undefined {
  return newest(cached, written) === written ? written : undefined;
}

/** Reports whether a change was made here, or will be observed in any case. */
export function isKnown(run: TrackedPod, kind: 'pod' | 'instance', object: KubeObject): boolean {
  const version = object.metadata.resourceVersion ?? '';
  if (run[kind]?.metadata.resourceVersion === version) {
    run[kind] = undefined;
    return true;
  }
  return run.writes.isOwnWrite(version);
}
