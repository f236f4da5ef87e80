import type { Clock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
/** Lifetime of responses, the same as that of API servers for a webhook. */
const ALLOWED_MS = 5 * 60_000;
const DENIED_MS = 30_000;
/** More entries would be users that appear only once. */
const MAX_ANSWERS = 1000;

export interface Subject {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly extra?: object;
}

/** Access of a subject to a resource. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Checks with the API server whether a subject has an access. */
export async function mayDo(
  client: Pick<Client, 'request'>,
  subject: Subject,
  resourceAttributes: ResourceAttributes,
  signal: AbortSignal,
): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { ...subject, resourceAttributes },
  };
  const response = await client.request({ method: 'POST', path: REVIEWS, body }, { signal });
  return (response.body as { readonly status?: { readonly allowed?: boolean } }).status?.allowed === true;
}

/** Caches responses for a while, since the operator itself is checked with every instance that it creates. */
export class SubjectAccess {
  readonly #client: Pick<Client, 'request'>;
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly allowed: boolean; readonly until: number }>();

  constructor(client: Pick<Client, 'request'>, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async mayDo(subject: Subject, attributes: ResourceAttributes, signal: AbortSignal): Promise<boolean> {
    const key = JSON.stringify([subject, attributes]);
    const known = this.#answers.get(key);
    if (known !== undefined && this.#clock.monotonic() < known.until) return known.allowed;
    const allowed = await mayDo(this.#client, subject, attributes, signal);
    if (this.#answers.size >= MAX_ANSWERS) this.#answers.clear();
    this.#answers.set(key, { allowed, until: this.#clock.monotonic() + (allowed ? ALLOWED_MS : DENIED_MS) });
    return allowed;
  }
}
