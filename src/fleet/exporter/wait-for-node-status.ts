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

/** Waits until the status of each VM names a node, or until the timeout. Returns the VMs that are gone. */
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
      // Each check stops at the first VM that is not ready, so that all checks together pass over the list only once.
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
