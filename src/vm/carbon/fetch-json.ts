import { concatBytes, decodeUtf8 } from '#platform/base/bytes';
import type { Clock } from '#platform/base/clock';
import { redactText } from '#platform/base/redact';
import { CarbonError } from './provider.ts';

/** Part of the fetch API that is used, as an injected dependency. */
export type JsonFetch = (
  url: string,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    /** The token is only for the configured server, not for one that it redirects to. */
    readonly redirect: 'error';
  },
) => Promise<WebResponse>;

export interface WebResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

export interface WebRequestDeps {
  /** Display name of the provider. */
  readonly who: string;
  /** Base URL. The paths of the API are appended to it. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: JsonFetch;
  readonly clock: Clock;
}

/** Timeout for a response. */
const TIMEOUT_MS = 20_000;
/** Maximum size of a response. A day of a grid in steps of five minutes takes a hundredth of it. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Requests JSON from a provider. Any failure becomes an error that names the provider, without any header. */
export async function fetchJson(
  { who, url, headers = {}, fetch, clock }: WebRequestDeps,
  path: string,
  signal?: AbortSignal,
) {
  const enough = new AbortController();
  const timer = clock.timer(TIMEOUT_MS, () => enough.abort());
  const both = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
      headers: { accept: 'application/json', ...headers },
      signal: both,
      redirect: 'error',
    });
    const text = await textOf(who, response);
    if (response.status !== 200) throw refusal(who, path, response, text, clock);
    return parseBody(who, path, text);
  } catch (error) {
    if (error instanceof CarbonError) throw error;
    signal?.throwIfAborted();
    const why = enough.signal.aborted ? `no response within ${TIMEOUT_MS / 1000}s` : reasonOf(error);
    throw new CarbonError('UNREACHABLE', `${who} cannot be reached at ${hostOf(url)}: ${why}`, { cause: error });
  } finally {
    timer.cancel();
  }
}

/** Reads the body up to the maximum size, so that no server can exhaust the memory. */
async function textOf(who: string, { body }: WebResponse): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.byteLength;
    if (size > MAX_RESPONSE_BYTES)
      throw new CarbonError('UNREADABLE', `${who} returned more than ${MAX_RESPONSE_BYTES} bytes`);
    pieces.push(piece);
  }
  return decodeUtf8(concatBytes(pieces));
}

function refusal(who: string, path: string, { status, headers }: WebResponse, text: string, clock: Clock): CarbonError {
  const said = short(text);
  const message = `${who} returned ${status} for ${path}${said === '' ? '' : `: ${said}`}`;
  switch (status) {
    case 401:
    case 403:
      return new CarbonError('UNAUTHORIZED', message, { hint: 'Check the token and the zones that its plan covers.' });
    case 404:
      return new CarbonError('UNKNOWN_ZONE', message, { hint: 'List the zones with: vimana carbon zones' });
    case 429:
    case 503:
      return new CarbonError('BUSY', message, { retryAfterMs: waitOf(headers.get('retry-after'), clock) });
    default:
      return new CarbonError('UNREADABLE', message);
  }
}

/** Parses Retry-After, which is a number of seconds or a date. */
function waitOf(text: string | null, clock: Clock): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  const ms = Date.parse(text) - clock.now();
  return ms > 0 ? ms : undefined;
}

function parseBody(who: string, path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CarbonError('UNREADABLE', `${who} returned invalid JSON for ${path}: ${short(text)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const { message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return redactText(message === '' ? (code ?? 'no response') : message);
}

const hostOf = (url: string) => URL.parse(url)?.host ?? url;
const short = (text: string) => redactText(text.trim().replaceAll(/\s+/g, ' ').slice(0, 200));
