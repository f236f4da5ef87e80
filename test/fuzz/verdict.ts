import { parse } from 'yaml';
import type { RawAnswer, RawRequest } from './http1-connection.ts';

/** Response for paths that are not served at all. It is not an API response, and not one in Kubernetes either. */
const PLAIN_404 = '404 page not found\n';

/** Returns what is wrong with a response, if anything. Errors must be Statuses with the code of the HTTP status. */
export function verdict(request: RawRequest, { status, headers, body }: RawAnswer): string | undefined {
  const { method, target } = request;
  if (/\n\s+at .*[(/].*:\d+:\d+/.test(body) || /node_modules|\.ts:\d+/.test(body)) return `a stack trace: ${body}`;
  if (status >= 500 && !expected(request, status, body)) return `${status}: ${body.slice(0, 600)}`;
  if (method === 'HEAD' || status === 304) return undefined;
  const type = headers.get('content-type') ?? '';
  if (status < 400) return type.includes('json') && !body.includes('\n{') ? unparsable(body) : undefined;
  if (status === 404 && (body === PLAIN_404 || (body === '' && target.startsWith('/openapi/')))) return undefined;
  // The text of a binary body is not exact, but shows what it is.
  if (type.includes('protobuf')) return /^k8s\0[^]*Status[^]*Failure/.test(body) ? undefined : `${status}: ${body}`;
  const answer = type.includes('yaml') ? (parse(body) as unknown) : parsed(body);
  const { kind, code, message } = (answer ?? {}) as { kind?: string; code?: number; message?: string };
  if (kind !== 'Status' || code !== status || typeof message !== 'string') return `${status} without a Status: ${body}`;
  return undefined;
}

/** Errors for which a real API server also uses a 5xx code. */
const KNOWN: readonly (readonly [number, RegExp])[] = [
  // The requested version does not exist yet.
  [504, /Too large resource version/],
  // Only a node can serve these subresources.
  [501, /is not served by this control plane/],
  [500, /failed to create typed patch object/],
  [500, /unable to find api field in struct/],
  [500, /unknown patch type/],
  [500, /merging lists cannot yet be specified in the patch/],
  [500, /expected a \[\]interface \{\}, but received a/],
  [500, /expected a map\[string\]interface \{\}, but received a/],
  [500, /list element types are not identical/],
  [500, /does not contain declared merge key/],
  [500, /target.name: Required value/],
  [500, /strconv.ParseUint: parsing/],
  [500, /failed to convert new object/],
];

function expected({ method }: RawRequest, status: number, body: string): boolean {
  return KNOWN.some(([code, text]) => code === status && (method === 'HEAD' || text.test(body)));
}

function unparsable(body: string): string | undefined {
  return body === '' || parsed(body) !== undefined ? undefined : `not JSON: ${body.slice(0, 300)}`;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
