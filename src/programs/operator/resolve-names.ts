import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import type { OperatorFlags } from '#programs/cli/operator';

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const RETRY_MS = 2000;

interface Review {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

interface Asking {
  readonly client: Pick<Client, 'request'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Flags with the names of lease and webhooks. */
export interface NamedFlags extends OperatorFlags {
  readonly leaderElectionId: string;
  readonly webhookName: string;
}

const FALLBACK = 'vimana-operator';

/**
 * Fills in missing names from the ServiceAccount, which the chart names after the release. A Deployment without these
 * flags thus finds the lease and webhooks of its release, and shares none with another.
 */
export async function resolveNames(flags: OperatorFlags, asking: Asking, signal: AbortSignal): Promise<NamedFlags> {
  const { leaderElectionId, webhookName } = flags;
  if (leaderElectionId !== undefined && webhookName !== undefined) return { ...flags, leaderElectionId, webhookName };
  const own = accountOf(await ownUser(asking, signal)) ?? FALLBACK;
  return { ...flags, leaderElectionId: leaderElectionId ?? own, webhookName: webhookName ?? own };
}

function accountOf(user: string | undefined): string | undefined {
  return /^system:serviceaccount:[^:]+:([^:]+)$/.exec(user ?? '')?.[1];
}

/**
 * Returns our user name, and retries until the API server responds. Returns undefined if the signal is aborted first.
 */
async function ownUser({ client, clock, log }: Asking, signal: AbortSignal): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  while (!signal.aborted) {
    try {
      const response = await client.request({ method: 'POST', path: REVIEWS, body }, { signal });
      const name = (response.body as Review).status?.userInfo?.username;
      if (name !== undefined) return name;
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'the API server does not report our user name; retrying');
    }
    await clock.sleep(RETRY_MS, signal).catch(() => {});
  }
  return undefined;
}
