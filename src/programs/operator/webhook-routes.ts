import type { IncomingMessage, ServerResponse } from 'node:http';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { vmPool } from '#api/novacron/vm-pool';
import { OPERATE } from '#api/operate-verb';
import type { Client } from '#platform/kube/client';
import { readBody } from '#platform/runtime/http/body';
import type { Route } from '#platform/runtime/http/route';
import { poolScaleWarnings } from '#vm/dialects/novacron/admission/pool-scale';
import {
  type ReviewDeps,
  type ReviewRequest,
  type ReviewResponse,
  requiresVerb,
  reviewBody,
  reviewObject,
} from './admission-review.ts';
import { reviewEviction } from './eviction-review.ts';
import { withMigrationTarget } from './migration-target.ts';
import type { SubjectAccess } from './subject-access.ts';

/** A review holds an object twice, and each may be as large as the API server accepts. */
const MAX_REVIEW_BYTES = 8 * 1024 * 1024;

/** Paths in the webhook configurations of the chart. */
export const WEBHOOK_PATHS = {
  mutate: '/admit/mutate',
  validate: '/admit/validate',
  evict: '/admit/eviction',
  scale: '/admit/scale',
} as const;

/** Returns the routes of the admission webhooks. */
export function webhookRoutes(parts: Omit<ReviewDeps, 'operates'>, access: SubjectAccess, client: Client): Route[] {
  const ofObject =
    (phase: 'mutate' | 'validate') =>
    async (request: ReviewRequest, signal: AbortSignal): Promise<ReviewResponse> => {
      const operates = requiresVerb(request) && (await isOperating(request, access, signal));
      const lookup = await withMigrationTarget(request, parts.lookup, client, signal);
      return reviewObject(request, phase, { ...parts, lookup, operates });
    };
  return [
    route(WEBHOOK_PATHS.mutate, ofObject('mutate')),
    route(WEBHOOK_PATHS.validate, ofObject('validate')),
    route(WEBHOOK_PATHS.scale, async ({ namespace = '', name = '' }) => ({
      allowed: true,
      warnings: poolScaleWarnings(parts.lookup(vmPool, namespace, name)),
    })),
    route(WEBHOOK_PATHS.evict, (request, signal) => reviewEviction(request, client, signal)),
  ];
}

/** Reports whether the requester has the verb for changing instances. */
function isOperating(
  { userInfo = {}, namespace = '' }: ReviewRequest,
  access: SubjectAccess,
  signal: AbortSignal,
): Promise<boolean> {
  const { username: user = '', groups = [], extra } = userInfo;
  const { group, plural: resource } = virtualMachineInstance;
  const subject = { user, groups, ...(extra === undefined ? {} : { extra }) };
  return access.mayDo(subject, { verb: OPERATE, group, resource, namespace }, signal);
}

type Answerer = (request: ReviewRequest, signal: AbortSignal) => Promise<ReviewResponse>;

function route(path: string, answer: Answerer): Route {
  return {
    path,
    methods: ['POST'],
    // An API server does not authenticate to webhooks, unless its administrator has configured it.
    access: 'open',
    maxBodyBytes: MAX_REVIEW_BYTES,
    async handle(request, response, signal) {
      const review = await reviewIn(request);
      if (review === undefined) return text(response, 400, 'not an AdmissionReview of admission.k8s.io/v1\n');
      const answered = await answer(review, signal);
      const body = JSON.stringify(reviewBody(review.uid, answered));
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    },
  };
}

async function reviewIn(request: IncomingMessage): Promise<ReviewRequest | undefined> {
  const bytes = await readBody(request, MAX_REVIEW_BYTES);
  try {
    const {
      apiVersion,
      kind,
      request: requested,
    } = JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, unknown>>;
    const isReview = apiVersion === 'admission.k8s.io/v1' && kind === 'AdmissionReview';
    return isReview && typeof requested === 'object' && requested !== null ? (requested as ReviewRequest) : undefined;
  } catch {
    return undefined;
  }
}

function text(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(words);
}
