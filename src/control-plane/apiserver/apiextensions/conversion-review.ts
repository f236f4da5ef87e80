import { parseFiniteJson } from '#platform/base/finite-json';
import { goQuote } from '#platform/base/go-value';
import { NO_KIND, serverProblem } from '../admission/webhooks/response.ts';

interface ConversionResponse {
  readonly uid?: string;
  readonly convertedObjects?: readonly unknown[] | null;
  readonly result?: { readonly status?: string; readonly message?: string };
}

/** Returns the objects of a conversion response. Throws an Error with the reason if there are none. */
export function readConverted(
  { status, text }: { readonly status: number; readonly text: string },
  version: string,
  uid: string,
): readonly unknown[] {
  const body = parseReview(text);
  if (status < 200 || status > 299) throw new Error(serverProblem(status, '', body));
  if (text === '') {
    throw new Error(`0-length response with status code: ${status} and content type: application/json`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Error(NO_KIND);
  const { apiVersion = '', kind = '', response } = body as Readonly<Record<string, unknown>>;
  if (kind !== 'ConversionReview' || apiVersion !== `apiextensions.k8s.io/${version}`) {
    const named = `no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(apiVersion))}`;
    throw new Error(`${named} in scheme "pkg/runtime/scheme.go:111"`);
  }
  if (typeof response !== 'object' || response === null) throw new Error('no response provided');
  const { uid: answered = '', result = {}, convertedObjects } = response as ConversionResponse;
  // Responses of v1beta1 need not repeat the uid of their request.
  if (version === 'v1' && answered !== uid) {
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(answered)}`);
  }
  if (result.status !== 'Success') {
    throw new Error(result.message || `response.result.status was '${result.status ?? ''}', not 'Success'`);
  }
  return convertedObjects ?? [];
}

function parseReview(text: string): unknown {
  try {
    return parseFiniteJson(text);
  } catch {
    return undefined;
  }
}
