import { InvalidArgumentError } from 'commander';
import { VimanaError } from '#platform/base/errors';

/** Returns a parser for the URL of an HTTP server. */
export function webAddress(example: string): (text: string) => string {
  return (text) => {
    if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
    throw new InvalidArgumentError(`It must be an address such as ${example}.`);
  };
}

interface Question {
  /** Name of the server for messages. */
  readonly who: string;
  /** URL of the server. Its path is kept before the paths of the API. */
  readonly at: string;
  readonly path: string;
  /** Remedy that the error names if the server cannot be reached. */
  readonly hint?: string;
  /** Body to post. Without one, the request is a GET. */
  readonly body?: unknown;
  /** Token for the server. It is not sent to the target of a redirect. */
  readonly token?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Requests JSON from a server. Any failure becomes an error that names the server. */
export async function fetchText<T>({ who, at, path, hint, body, token, signal }: Question): Promise<T> {
  const url = new URL(path, at.endsWith('/') ? at : `${at}/`);
  const { username, password } = url;
  // Node.js rejects URLs that contain a password.
  [url.username, url.password] = ['', ''];
  const named = username === '' ? {} : { authorization: basic(username, password) };
  const given = token === undefined ? named : { authorization: `Bearer ${token}` };
  const posted = {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    ...(token === undefined ? {} : { redirect: 'error' as const }),
  };
  const headers = { ...given, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const said = await fetch(url, { ...posted, headers, ...(signal === undefined ? {} : { signal }) }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (error: unknown) => {
      if (signal?.aborted === true) throw error;
      throw new VimanaError('UNREACHABLE', `${who} cannot be reached at ${url.origin}: ${reasonOf(error, url)}`, {
        cause: error,
        ...(hint === undefined ? {} : { hint }),
      });
    },
  );
  if (said.status !== 200) {
    throw new VimanaError('REFUSED', `${who} responded with ${said.status} to ${url.pathname}: ${short(said.text)}`);
  }
  try {
    return JSON.parse(said.text) as T;
  } catch (error) {
    throw new VimanaError('REFUSED', `${who} did not respond to ${url.pathname} with JSON: ${short(said.text)}`, {
      cause: error,
    });
  }
}

function reasonOf(error: unknown, { port }: URL): string {
  const { message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  if (message === 'bad port') return `port ${port} is reserved for another protocol, and blocked for HTTP`;
  // If a name has several addresses, each has its own error and the whole has none.
  return message === '' ? (code ?? 'no response') : message;
}

const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${decodeURIComponent(name)}:${decodeURIComponent(password)}`).toString('base64')}`;

const short = (text: string) => text.trim().slice(0, 300);
