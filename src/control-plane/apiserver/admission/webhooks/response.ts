import { decodeUtf8, encodeUtf8 } from '#platform/base/bytes';
import { parseFiniteJson } from '#platform/base/finite-json';
import { goQuote } from '#platform/base/go-value';
import { ApiError, type Status } from '../../api-error.ts';
import type { PostResult } from '../../webhook-post.ts';

/** Response of a webhook. */
export interface ReviewResponse {
  readonly uid?: string;
  readonly allowed?: boolean;
  readonly status?: Partial<Status>;
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
}

/** A webhook could not be called or sent an invalid response. Its failure policy applies. */
export class WebhookError extends Error {}

const unusable = (why: string) => new WebhookError(`received invalid webhook response: ${why}`);
const webhookFailure = (why: string) => new WebhookError(`failed to call webhook: ${why}`);

/** Parses the response of a webhook. */
export function readResponse(
  { status, text }: PostResult,
  version: string,
  uid: string,
  mutating: boolean,
): ReviewResponse {
  const body = parseResponse(text);
  if (status < 200 || status > 299) throw webhookFailure(serverProblem(status, text, body));
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw webhookFailure(NO_KIND);
  const { apiVersion = '', kind = '', response } = body as Readonly<Record<string, unknown>>;
  if (kind !== 'AdmissionReview') {
    throw webhookFailure(`no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(apiVersion))}`);
  }
  if (apiVersion !== `admission.k8s.io/${version}`) {
    const given = String(apiVersion).split('/').at(-1);
    throw webhookFailure(`converting (${given}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`);
  }
  if (typeof response !== 'object' || response === null) throw unusable('webhook response was absent');
  const answer = response as ReviewResponse;
  if (version === 'v1') checkV1(answer, uid, mutating);
  return answer;
}

function checkV1({ uid = '', patch = '', patchType = '' }: ReviewResponse, expected: string, mutating: boolean): void {
  if (uid !== expected) throw unusable(`expected response.uid=${goQuote(expected)}, got ${goQuote(uid)}`);
  if (!mutating) {
    if (patch !== '') throw unusable('validating webhook may not return response.patch');
    if (patchType !== '') throw unusable('validating webhook may not return response.patchType');
  } else if (patch !== '' && patchType === '') {
    throw unusable('webhook returned response.patch but not response.patchType');
  } else if (patch === '' && patchType !== '') {
    throw unusable('webhook returned response.patchType but not response.patch');
  }
}

export const NO_KIND =
  'couldn\'t get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function parseResponse(text: string): unknown {
  try {
    return parseFiniteJson(text);
  } catch {
    return undefined;
  }
}

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  415: 'the server was unable to respond with a content type that the client supports',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** Returns the message of Kubernetes' clients for a failed response: that of its Status, or that of its code. */
export function serverProblem(status: number, text: string, body: unknown): string {
  const { kind, message } = (body ?? {}) as { readonly kind?: string; readonly message?: string };
  if (kind === 'Status' && message !== undefined) return message;
  const said = truncateText(text);
  if (status === 403) return said || 'unknown';
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 500) {
    return `an error on the server (${goQuote(said || 'unknown')}) has prevented the request from succeeding`;
  }
  return `the server responded with the status code ${status} but did not return more information`;
}

/**
 * Maximum length of an included response that is no Status, as in Kubernetes' clients. Users may see it who may not
 * call the webhook.
 */
const MAX_TEXT_BYTES = 2048;

function truncateText(text: string): string {
  const bytes = encodeUtf8(text);
  return (bytes.length <= MAX_TEXT_BYTES ? text : decodeUtf8(bytes.subarray(0, MAX_TEXT_BYTES))).trim();
}

const MIN_ERROR_STATUS = 400;

/** Builds the Status for a client when a webhook denies the request. */
export function denial(name: string, { status = {} }: ReviewResponse): ApiError {
  const denied = `admission webhook ${goQuote(name)} denied the request`;
  const { message = '', reason = '', code = 0, details } = status;
  const why = message || reason;
  return new ApiError(
    Math.max(code, MIN_ERROR_STATUS),
    reason,
    why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    details,
  );
}
