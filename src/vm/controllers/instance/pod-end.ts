import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';

/** Result and reason of the end of an instance, as far as its pod shows them. */
export interface PodEnd {
  readonly phase: 'Succeeded' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

interface Terminated {
  readonly reason?: string;
  readonly message?: string;
  readonly exitCode?: number;
}

export function nodeLost(node: string, seconds: number): PodEnd {
  const message = `no heartbeat from node ${node} for ${seconds}s: its VMs are considered terminated`;
  return { phase: 'Failed', reason: 'NodeLost', message };
}

export function podDeleted(): PodEnd {
  return {
    phase: 'Failed',
    reason: 'PodDeleted',
    message: 'the launcher pod of the running instance was deleted',
  };
}

/** Returns how an instance with a finished pod ended. */
export function podEndOf({ metadata, status }: Pod): PodEnd {
  const terminated = terminatedOf(status?.containerStatuses);
  if (status?.phase === 'Succeeded') {
    return { phase: 'Succeeded', reason: 'Completed', message: 'the VM was shut down' };
  }
  const disruption = conditionOf(status?.conditions, 'DisruptionTarget');
  const reason =
    nonEmpty(status?.reason) ??
    nonEmpty(terminated?.reason, 'Error') ??
    (disruption?.status === 'True' ? nonEmpty(disruption.reason) : undefined) ??
    'PodFailed';
  const said = nonEmpty(status?.message) ?? nonEmpty(terminated?.message) ?? nonEmpty(disruption?.message);
  const code = terminated?.exitCode === undefined ? '' : ` with exit code ${terminated.exitCode}`;
  return { phase: 'Failed', reason, message: said ?? `pod ${metadata.name} failed${code}` };
}

/** Returns the word unless it is empty or equals the given placeholder. */
const nonEmpty = (word: string | undefined, empty = '') =>
  word === undefined || word === '' || word === empty ? undefined : word;

function terminatedOf(statuses: unknown): Terminated | undefined {
  const containers = statuses as readonly { readonly state?: { readonly terminated?: Terminated } }[] | undefined;
  return containers?.map(({ state }) => state?.terminated).find((state) => state !== undefined);
}
