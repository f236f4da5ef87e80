import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../kube/client.ts';

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const RETRY_MS = 2000;

interface Review {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

/** The user that this process is for the API server, asked until it answers; undefined where the signal comes first. */
export async function ownUser(
  { client, clock, log }: { readonly client: Client; readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<string | undefined> {
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
