import { append } from '#platform/base/append';
import { goQuote } from '#platform/base/go-value';
import type { Random } from '#platform/base/random';
import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes } from '../../admission-plugin.ts';
import { badRequest, internal } from '../../api-error.ts';
import type { ObjectSource } from '../../object-source.ts';
import type { Resource } from '../../resource.ts';
import type { HttpsPost } from '../../webhook-post.ts';
import { Authorizer } from '../cel/authorizer.ts';
import { requestJson } from '../cel/request.ts';
import { admissionDenial } from '../denial.ts';
import { namespaceOf } from '../matching.ts';
import { inVersion } from '../versions.ts';
import type { AdmissionWebhook } from './admission-webhook.ts';
import { destinationOf, type ResolveService, UnresolvedServiceError, urlOf } from './client-config.ts';
import { denial, type ReviewResponse, readResponse, WebhookError } from './response.ts';
import { type AdmissionReviewRequest, reviewRequest } from './review.ts';

export interface WebhookDeps {
  readonly source: ObjectSource;
  readonly random: Random;
  readonly post: HttpsPost;
  readonly resolveService: ResolveService;
}

const DEFAULT_TIMEOUT = 10;
const VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

/** Result of calling a webhook, undefined if it does not match or its failure is ignored. */
export interface WebhookResult {
  readonly response: ReviewResponse;
  /** Version of the resource that was sent to the webhook, and the object in it. */
  readonly shownAs: Resource;
  readonly object: KubeObject | undefined;
}

/** Calls one webhook for a write. Throws an ApiError if it denies the write, or fails with the failure policy Fail. */
export async function callAdmissionWebhook(
  parts: WebhookDeps,
  hook: AdmissionWebhook,
  write: AdmissionAttributes,
  mutating: boolean,
): Promise<WebhookResult | undefined> {
  const shownAs = hook.match(write);
  if (shownAs === undefined) return undefined;
  const { spec } = hook;
  const object = write.object && (await inVersion(write, write.object, shownAs));
  const oldObject = write.old && (await inVersion(write, write.old, shownAs));
  const request = reviewRequest(write, shownAs, parts.random.uuid(), object, oldObject);
  if (!holds(hook, write, request)) return undefined;
  if (write.call.dryRun && spec.sideEffects !== 'None' && spec.sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook ${goQuote(spec.name)} does not support dry run`);
  }
  try {
    const response = await call(parts, hook, request, write.call.signal, mutating);
    append(write.call.warnings, response.warnings ?? []);
    if (response.allowed !== true) throw denial(spec.name, response);
    return { response, shownAs, object };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    if (spec.failurePolicy === 'Ignore') return undefined;
    throw failure(spec.name, error);
  }
}

/** Returns the error for a client when a webhook failed. */
export function failure(name: string, { message, cause }: WebhookError): Error {
  return internal(new Error(`failed calling webhook ${goQuote(name)}: ${message}`, { cause }));
}

function holds(
  { conditions, spec }: AdmissionWebhook,
  write: AdmissionAttributes,
  request: AdmissionReviewRequest,
): boolean {
  if (conditions === undefined) return true;
  const { resource, subresource, name, call } = write;
  const requested = {
    group: resource.group,
    resource: resource.plural,
    subresource,
    namespace: namespaceOf(write),
    name,
  };
  const outcome = conditions({
    object: request.object ?? undefined,
    oldObject: request.oldObject ?? undefined,
    request: requestJson(request),
    authorizer: new Authorizer(call.user, requested),
  });
  if (typeof outcome === 'boolean') return outcome;
  if (spec.failurePolicy === 'Ignore') return false;
  throw admissionDenial(write, outcome.problem);
}

async function call(
  { source, post, resolveService }: WebhookDeps,
  { spec }: AdmissionWebhook,
  request: AdmissionReviewRequest,
  signal: AbortSignal,
  mutating: boolean,
): Promise<ReviewResponse> {
  const version = spec.admissionReviewVersions?.find((each) => VERSIONS.has(each)) ?? 'v1';
  const review = { kind: 'AdmissionReview', apiVersion: `admission.k8s.io/${version}`, request };
  const timeout = spec.timeoutSeconds ?? DEFAULT_TIMEOUT;
  try {
    const destination = destinationOf(spec.clientConfig, source, resolveService);
    return readResponse(
      await post(destination, JSON.stringify(review), timeout, signal),
      version,
      request.uid,
      mutating,
    );
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    const why =
      error instanceof UnresolvedServiceError
        ? `Post ${JSON.stringify(`${urlOf(spec.clientConfig)}?timeout=${timeout}s`)}: ${error.message}`
        : (error as Error).message;
    throw new WebhookError(`failed to call webhook: ${why}`, { cause: error });
  }
}
