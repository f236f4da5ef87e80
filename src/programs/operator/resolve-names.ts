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

/** Flags that say how lease and webhooks are called. */
export interface NamedFlags extends OperatorFlags {
  readonly leaderElectionId: string;
  readonly webhookName: string;
}

const FALLBACK = 'vimana-operator';

/**
 * Names what the flags leave open after the ServiceAccount, which the chart names after the release: so a Deployment
 * that says nothing of lease and webhooks finds those of its release, and shares none with another one.
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

/** The user that this process is for the API server, asked until it answers; undefined where the signal comes first. */
async function ownUser({ client, clock, log }: Asking, signal: AbortSignal): Promise<string | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  while (!signal.aborted) {
    try {
      const answer = await client.request({ method: 'POST', path: REVIEWS, body }, { signal });
      const name = (answer.body as Review).status?.userInfo?.username;
      if (name !== undefined) return name;
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'the API server does not say who this is; asking again');
    }
    await clock.sleep(RETRY_MS, signal).catch(() => {});
  }
  return undefined;
}
