import type { Clock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { isNotFound } from '#platform/kube/kube-error';
import type { OperatorFlags } from '#programs/cli/operator';

/** Discovery of the group, which anybody may read. */
const DISCOVERY = '/apis/kubevirt.io/v1';
/** Resource that configures KubeVirt's own operator. */
const ITS_OWN = 'kubevirts';
const RETRY_MS = 2000;

export interface UpstreamCheck {
  readonly client: Pick<Client, 'request'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Reports whether KubeVirt itself manages kubevirt.io here. It retries until the API server responds or the signal is
 * aborted.
 */
export async function isUpstreamKubevirt({ client, clock, log }: UpstreamCheck, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    try {
      const { body } = await client.request({ method: 'GET', path: DISCOVERY }, { signal });
      const { resources = [] } = body as { readonly resources?: readonly { readonly name: string }[] };
      return resources.some(({ name }) => name === ITS_OWN);
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!signal.aborted) log.warn({ err: error }, 'cannot list the resources of the API server; retrying');
      await clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }
  return false;
}

/** Leaves KubeVirt's own kinds to it if it is installed. VMs of other groups then run on it. */
export function besideKubevirt(flags: OperatorFlags, log: Logger): OperatorFlags {
  const dialects = flags.dialects.filter((name) => name !== 'kubevirt');
  if (dialects.length === flags.dialects.length && !flags.instances) return flags;
  const message = 'KubeVirt itself is installed in this cluster (the resource kubevirts.kubevirt.io exists)';
  const hint = 'Set --no-instances, and --dialects without kubevirt; the chart has values for both.';
  if (dialects.length === 0) throw new ConfigError(`${message}, and no other API group is enabled`, { hint });
  log.warn({ dialects }, `${message}: it manages kubevirt.io`);
  return { ...flags, dialects, instances: false };
}
