import { SIMULATED_VMS } from '#fleet/library/simulated-vm';
import { watchUntil } from '#fleet/library/watch-until';
import type { Clock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';

interface Waiting {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Waits until the status of each machine names a node, or time is up; returns those that are there no more. */
export async function waitForNodeStatus(
  ids: readonly string[],
  { client, namespace, clock, signal, timeoutMs }: Waiting,
): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  const left = new Set(ids);
  if (left.size === 0 || signal.aborted) return gone;
  const late = new AbortController();
  using _limit = clock.timer(timeoutMs, () => late.abort());
  const enough = AbortSignal.any([late.signal, signal]);
  try {
    await watchUntil(client, SIMULATED_VMS, { namespace, signal: enough }, (vms) => {
      // The first that is not ready ends a look, so that all looks together pass over the list but once.
      for (const id of left) {
        const vm = vms.get(id);
        if (vm !== undefined && (vm.status?.nodeName ?? '') === '') return undefined;
        if (vm === undefined) gone.add(id);
        left.delete(id);
      }
      return true;
    });
  } catch (error) {
    if (!enough.aborted) throw error;
  }
  return gone;
}
