import { parse } from 'yaml';
import type { RawAnswer, RawRequest } from './http1-connection.ts';

/** Sent where a path leads to nothing that is served at all; not an API answer, and not one at Kubernetes either. */
const PLAIN_404 = '404 page not found\n';

/** What is wrong with an answer, if anything: refusals must be Statuses with the code that the HTTP status says. */
export function verdict(request: RawRequest, { status, headers, body }: RawAnswer): string | undefined {
  const { method, target } = request;
  if (/\n\s+at .*[(/].*:\d+:\d+/.test(body) || /node_modules|\.ts:\d+/.test(body)) return `a stack trace: ${body}`;
  if (status >= 500 && !expected(request, status, body)) return `${status}: ${body.slice(0, 600)}`;
  if (method === 'HEAD' || status === 304) return undefined;
  const type = headers.get('content-type') ?? '';
  if (status < 400) return type.includes('json') && !body.includes('\n{') ? unparsable(body) : undefined;
  if (status === 404 && (body === PLAIN_404 || (body === '' && target.startsWith('/openapi/')))) return undefined;
  const answer = type.includes('yaml') ? (parse(body) as unknown) : parsed(body);
  const { kind, code, message } = (answer ?? {}) as { kind?: string; code?: number; message?: string };
  if (kind !== 'Status' || code !== status || typeof message !== 'string') return `${status} without a Status: ${body}`;
  return undefined;
}

/** Refusals that a real API server too makes with the codes of faults. */
const KNOWN: readonly (readonly [number, RegExp])[] = [
  // A version that is not reached yet.
  [504, /Too large resource version/],
  // Subresources that only a node can answer.
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
