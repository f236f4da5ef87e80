import { fromBase64, toBase64Url } from '#platform/base/base64';
import { decodeUtf8, encodeUtf8 } from '#platform/base/bytes';
import { jsonProblem } from '#platform/base/json-problem';
import { type ApiError, badRequest } from '../api-error.ts';

/** Encodes where the next page of a list starts, in Kubernetes' own format. */
export function encodeContinue(revision: number, start: string): string {
  return toBase64Url(encodeUtf8(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })));
}

/** Revision of a list that continues after its first revision was compacted: the newest. */
export const NEWEST = -1;

export function decodeContinue(token: string): { revision: number; start: string } {
  const fault = base64Fault(token);
  if (fault !== undefined) throw invalidToken(`illegal base64 data at input byte ${fault}`);
  const bytes = fromBase64(token);
  let read: unknown;
  try {
    read = JSON.parse(decodeUtf8(bytes));
  } catch {
    throw invalidToken(jsonProblem(bytes));
  }
  const { v, rv, start } = (read ?? {}) as Readonly<Record<string, unknown>>;
  if (v !== 'meta.k8s.io/v1') throw invalidToken('server does not recognize this encoded version');
  if (typeof rv !== 'number' || !Number.isInteger(rv) || rv === 0) {
    throw invalidToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  if (typeof start !== 'string' || start === '' || start.split('/').some((part) => part === '..' || part === '.')) {
    throw invalidToken('encoded start key empty (version meta.k8s.io/v1)');
  }
  return { revision: rv, start };
}

function invalidToken(why: string): ApiError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

/** Returns the position at which a text stops being unpadded base64url. */
function base64Fault(text: string): number | undefined {
  const odd = text.search(/[^\w-]/);
  if (odd >= 0) return odd;
  return text.length % 4 === 1 ? text.length - 1 : undefined;
}
