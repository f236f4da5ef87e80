import { toBase64 } from '#platform/base/base64';
import { encodeUtf8 } from '#platform/base/bytes';
/** Part of the fetch API that is used, as an injected dependency. */
export type ImageFetch = (url: string, options: WebOptions & { readonly redirect: 'manual' }) => Promise<WebAnswer>;

interface WebOptions {
  readonly method: 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: (AsyncIterable<Uint8Array> & { cancel?(): Promise<void> }) | null;
}

/** Sends a request to a web server, and follows its redirects. */
export type Web = (url: string, options: WebOptions) => Promise<WebAnswer>;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

/** Headers that other servers get too. All others may be secrets of the server that they are meant for. */
const SHARED_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'range', 'if-range']);

/** Follows redirects as a browser does. A password is only sent to the server that it is meant for. */
export function webOf(fetch: ImageFetch): Web {
  return async (address, options) => {
    let url = new URL(address);
    let secret = passwordOf(url);
    const { origin } = url;
    for (let redirects = 0; ; redirects++) {
      const own = url.origin === origin ? options.headers : sharedHeaders(options.headers);
      const headers = { ...own, ...(secret === undefined ? {} : { authorization: secret }) };
      const response = await fetch(bare(url).href, { ...options, headers, redirect: 'manual' });
      const to = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (to === null) return response;
      await discard(response);
      if (redirects === MAX_REDIRECTS) throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
      const next = URL.parse(to, url);
      if (next === null || !/^https?:$/.test(next.protocol)) throw new Error('it redirects to an invalid URL');
      secret = passwordOf(next) ?? (next.origin === url.origin ? secret : undefined);
      url = next;
    }
  };
}

function sharedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => SHARED_HEADERS.has(name.toLowerCase())));
}

/** Releases a response that is not read to its end. */
export async function discard({ body }: Pick<WebAnswer, 'body'>): Promise<void> {
  await body?.cancel?.().catch(() => {});
}

/** Returns the user info of a URL as an Authorization header. */
function passwordOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const text = `${decodePath(username)}:${decodePath(password)}`;
  return `Basic ${toBase64(encodeUtf8(text))}`;
}

/** Decodes escapes. A lone % stands for itself. */
function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function bare(url: URL): URL {
  const copy = new URL(url);
  copy.username = '';
  copy.password = '';
  return copy;
}
