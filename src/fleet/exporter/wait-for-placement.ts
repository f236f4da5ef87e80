import type { Clock } from '#platform/base/clock';
import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Index } from '#platform/runtime/cache';
import type { Informer } from '#platform/runtime/informer';
import { isLive, vmKeyOfPod } from './launcher-usage.ts';

/** Placement of a VM: its node, or the reason why it has none. */
export type Placement = { readonly node: string; readonly pod: string } | { readonly error: string };

/** VM that waits for a placement. Its earlier pods do not count. */
export interface AwaitedVm {
  readonly key: string;
  /** Uids of the pods to ignore. */
  readonly not: ReadonlySet<string | undefined>;
}

/** Returns the key of the VM that a pod represents: `namespace/name`. */
export function vmKey(pod: Pod): string | undefined {
  const name = vmKeyOfPod(pod);
  return name === undefined ? undefined : `${pod.metadata.namespace}/${name}`;
}

export const podsByVm: Index<Pod> = {
  values: (pod) => {
    const key = vmKey(pod);
    return key === undefined ? [] : [key];
  },
};

/** Returns what to wait for if a VM gets another pod. Its present ones do not count, even if they terminate slowly. */
export function awaitedVm({ cache }: Informer<Pod>, key: string): AwaitedVm {
  return { key, not: new Set([...cache.by(podsByVm, key)].map(({ metadata }) => metadata.uid)) };
}

interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Maximum time without any change to these VMs. */
  readonly timeoutMs: number;
}

/** Waits until each VM has a node or is known to be unschedulable, according to the pod watch. */
export async function waitForPlacement(
  pods: Informer<Pod>,
  awaited: readonly AwaitedVm[],
  { clock, signal, timeoutMs }: Waiting,
): Promise<ReadonlyMap<string, Placement>> {
  const left = new Map(awaited.map(({ key, not }) => [key, not]));
  const found = new Map<string, Placement>();
  const done = Promise.withResolvers<void>();
  let last = clock.monotonic();
  const look = (pod: Pod) => {
    const key = vmKey(pod);
    if (key === undefined || left.get(key)?.has(pod.metadata.uid) !== false) return;
    last = clock.monotonic();
    const place = placementOf(pod);
    if (place === undefined) return;
    found.set(key, place);
    left.delete(key);
    if (left.size === 0) done.resolve();
  };
  const giveUp = () => done.resolve();
  const arm = () => clock.timer(Math.max(1, last + timeoutMs - clock.monotonic()), check);
  const check = () => {
    if (clock.monotonic() - last >= timeoutMs) giveUp();
    else timer = arm();
  };
  let timer = arm();
  signal.addEventListener('abort', giveUp);
  const stop = pods.onChange(({ type, object }) => {
    if (type !== 'deleted') look(object);
  });
  try {
    if (left.size > 0 && !signal.aborted) await done.promise;
  } finally {
    stop();
    timer.cancel();
    signal.removeEventListener('abort', giveUp);
  }
  const seconds = Math.round(timeoutMs / 1000);
  for (const key of left.keys()) found.set(key, { error: `no progress for ${seconds}s: no node found yet` });
  return found;
}

function placementOf(pod: Pod): Placement | undefined {
  if (!isLive(pod)) return undefined;
  const { nodeName = '' } = pod.spec;
  if (nodeName !== '') return { node: nodeName, pod: pod.metadata.name ?? '' };
  const scheduled = conditionOf(pod.status?.conditions, 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  return { error: scheduled.message ?? scheduled.reason ?? 'no node fits it' };
}

/** Waits until a condition on the watched pods holds, at most for the timeout. */
export async function waitForPods(
  pods: Informer<Pod>,
  isDone: () => boolean,
  { clock, signal, timeoutMs }: Waiting,
): Promise<void> {
  const done = Promise.withResolvers<void>();
  const giveUp = () => done.resolve();
  const timer = clock.timer(timeoutMs, giveUp);
  signal.addEventListener('abort', giveUp);
  const stop = pods.onChange(() => {
    if (isDone()) done.resolve();
  });
  try {
    if (!signal.aborted && !isDone()) await done.promise;
  } finally {
    stop();
    timer.cancel();
    signal.removeEventListener('abort', giveUp);
  }
}
