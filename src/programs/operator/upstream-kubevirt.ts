import type { Clock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { isNotFound } from '#platform/kube/kube-error';
import type { OperatorFlags } from '#programs/cli/operator';

/** What anybody may read of the group, whatever their rights. */
const DISCOVERY = '/apis/kubevirt.io/v1';
/** The resource by which KubeVirt's own operator is told what to install. */
const ITS_OWN = 'kubevirts';
const RETRY_MS = 2000;

export interface UpstreamCheck {
  readonly client: Pick<Client, 'request'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Whether KubeVirt itself looks after kubevirt.io here; asked until the API server answers, or the signal comes. */
export async function isUpstreamKubevirt({ client, clock, log }: UpstreamCheck, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    try {
      const { body } = await client.request({ method: 'GET', path: DISCOVERY }, { signal });
      const { resources = [] } = body as { readonly resources?: readonly { readonly name: string }[] };
      return resources.some(({ name }) => name === ITS_OWN);
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!signal.aborted) log.warn({ err: error }, 'the API server does not say what there is; asking again');
      await clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }
  return false;
}

/** Flags that leave to KubeVirt itself what is its own, where it is there. Machines of other groups then run on it. */
export function besideKubevirt(flags: OperatorFlags, log: Logger): OperatorFlags {
  const dialects = flags.dialects.filter((name) => name !== 'kubevirt');
  if (dialects.length === flags.dialects.length && !flags.instances) return flags;
  const message = 'KubeVirt itself runs in this cluster (there is a resource kubevirts.kubevirt.io)';
  const hint = 'Start it with --no-instances and --dialects without kubevirt; the chart has values for both.';
  if (dialects.length === 0) throw new ConfigError(`${message}, and no other API group is on`, { hint });
  log.warn({ dialects }, `${message}: kubevirt.io is left to it`);
  return { ...flags, dialects, instances: false };
}
