import { VMIS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { evictedInstance, evictionResult } from '#vm/admission/launcher-eviction';
import type { ReviewRequest, ReviewResponse } from './admission-review.ts';

/** Turns the eviction of a running VM that can be migrated into a migration. */
export async function reviewEviction(
  request: ReviewRequest,
  client: Client,
  signal: AbortSignal,
): Promise<ReviewResponse> {
  const { namespace = '', name = '', subResource, operation, object } = request;
  if (subResource !== 'eviction' || operation !== 'CREATE') return { allowed: true };
  const absent = (error: unknown): undefined => {
    if (!isNotFound(error)) throw error;
  };
  const pod = await client.get(PODS, name, { namespace, signal }).catch(absent);
  const instance = pod === undefined ? undefined : evictedInstance(pod);
  if (pod === undefined || instance === undefined) return { allowed: true };
  const verdict = evictionResult(pod, await client.get(VMIS, instance, { namespace, signal }).catch(absent));
  if (verdict.allowed) return { allowed: true };
  const { dryRun = [] } = (object?.['deleteOptions'] ?? {}) as { readonly dryRun?: readonly string[] };
  if (verdict.evacuate !== undefined && request.dryRun !== true && dryRun.length === 0) {
    const body = { status: { evacuationNodeName: verdict.evacuate } };
    try {
      await client.patch(VMIS, instance, { type: 'merge', body }, { namespace, subresource: 'status', signal });
    } catch (error) {
      return evictionDenied(`kubevirt failed marking the vmi for eviction: ${(error as Error).message}`);
    }
  }
  return evictionDenied(verdict.message);
}

/** Omits retryAfterSeconds, since clients would otherwise retry before anyone learns of the rejection. */
function evictionDenied(message: string): ReviewResponse {
  return { allowed: false, status: { code: 429, reason: 'TooManyRequests', message } };
}
