import type { RawAnswer } from '../http1-connection.ts';
import type { Expectation } from './expectation.ts';
import { CERTIFICATE_REQUESTS, objectKey } from './fuzz-kinds.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import { CANARY, type Lane, type Planted } from './lane.ts';
import type { Access } from './request-info.ts';

/** Faults for which Kubernetes also has its own status. */
const TOLERATED_FAULTS = new Set([501, 503, 504]);

/** Returns what is wrong with a response, if anything. */
export function judge(
  lane: Lane,
  request: FuzzRequest,
  expectation: Expectation,
  answer: RawAnswer,
  planted: ReadonlyMap<string, Planted>,
): string | undefined {
  return (
    statusProblem(expectation, request, answer) ??
    leakProblem(request, expectation, answer, planted) ??
    reviewProblem(lane, request, expectation, answer) ??
    authorProblem(request, expectation, answer)
  );
}

function statusProblem(
  { outcome, statuses, reason }: Expectation,
  { method, wellFormed }: FuzzRequest,
  answer: RawAnswer,
): string | undefined {
  const { status, body } = answer;
  if (outcome === 'forbidden') {
    if (status !== 403) return `403 expected (${reason}), got ${status}`;
    const isStatus = /"reason":\s*"Forbidden"|reason: Forbidden|Forbidden/.test(body);
    return method === 'HEAD' || isStatus ? undefined : '403 without the reason Forbidden';
  }
  if (outcome === 'refused') return status >= 400 ? undefined : `a refusal expected (${reason}), got ${status}`;
  if (status >= 500 && !TOLERATED_FAULTS.has(status) && wellFormed) return `${status} is a fault`;
  if (outcome === 'unclear') return undefined;
  if (status === 401 || status === 403) return `permission expected (${reason}), got ${status}`;
  if (statuses !== undefined && !statuses.includes(status))
    return `one of ${statuses.join(', ')} expected, got ${status}`;
  return undefined;
}

/** A response may contain canaries only of objects that the request asks for and may read. */
function leakProblem(
  request: FuzzRequest,
  { outcome, access }: Expectation,
  { body }: RawAnswer,
  planted: ReadonlyMap<string, Planted>,
): string | undefined {
  const found = body.match(CANARY);
  if (found === null) return undefined;
  const sent = request.target + request.body.toString('latin1');
  for (const word of new Set(found)) {
    const canary = word.startsWith('cnry') ? word : Buffer.from(word, 'base64').toString('latin1').slice(0, 16);
    const object = planted.get(canary);
    if (object === undefined || decodedIncludes(sent, canary)) continue;
    if (outcome !== 'permitted' && outcome !== 'unclear') return `it shows ${describe(object)} to one who is denied`;
    if (!isAskedFor(access, object)) return `it shows ${describe(object)}, which was not asked for`;
  }
  return undefined;
}

function decodedIncludes(sent: string, canary: string): boolean {
  if (sent.includes(canary)) return true;
  try {
    return decodeURIComponent(sent).includes(canary);
  } catch {
    return false;
  }
}

const describe = ({ kind, namespace, name }: Planted): string => objectKey(kind, namespace, name);

function isAskedFor(access: Access | undefined, { kind, namespace, name }: Planted): boolean {
  if (access === undefined || 'path' in access) return false;
  const isKind = access.resource === kind.plural && access.group === kind.group;
  // A binding belongs to a Pod.
  const isBinding = access.resource === 'bindings' && kind.plural === 'pods';
  const isPlace = access.namespace === '' || access.namespace === namespace;
  return (isKind || isBinding) && isPlace && (access.name === '' || access.name === name);
}

function reviewProblem(
  { rbac }: Lane,
  request: FuzzRequest,
  { person }: Expectation,
  answer: RawAnswer,
): string | undefined {
  const { review } = request;
  if (review === undefined || answer.status !== 201) return undefined;
  const { status } = JSON.parse(answer.body) as { status?: { allowed?: boolean } };
  const expected = rbac.allows(person, review.access as Access);
  if (status?.allowed === expected) return undefined;
  return `the review of ${JSON.stringify(review.access)} should be ${expected}`;
}

/** The author of a certificate request is its sender, whatever the request claims. */
function authorProblem(
  { kind, method }: FuzzRequest,
  { person }: Expectation,
  { status, body }: RawAnswer,
): string | undefined {
  if (kind !== CERTIFICATE_REQUESTS || method !== 'POST' || status !== 201) return undefined;
  const { spec } = JSON.parse(body) as { spec?: { username?: string; groups?: string[]; extra?: object } };
  const isAuthor = spec?.username === person.name && !(spec.groups ?? []).includes('system:masters');
  return isAuthor && !('a' in (spec.extra ?? {})) ? undefined : `the author is ${JSON.stringify(spec)}`;
}
