import { fn, type Library, method, typeConstant } from '../library.ts';
import { opaque } from '../types.ts';
import { ValueMap } from '../value-map.ts';
import { ArrayList, EvaluationError, Opaque } from '../values.ts';

const URL_TYPE = opaque('kubernetes.URL');

interface Url {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

const PARTS = /^(?:([^:/?#]*):)?(?:\/\/([^/?]*))?([^?]*)(?:\?(.*))?$/s;

/**
 * Splits an absolute URL, or a path from the root, as an HTTP server reads it, or returns the problem with the text.
 */
function read(text: string): Url | string {
  if (text === '') return 'empty url';
  // A fragment is used only by the browser and is not part of the request.
  const match = PARTS.exec(text.replace(/#.*$/s, ''));
  if (match === null || /[\p{Cc}--[\u0080-\u009f]]/v.test(text)) return 'net/url: invalid control character in URL';
  const [, scheme = '', authority, path = '', query = ''] = match;
  if (match[1] === '') return 'missing protocol scheme';
  if (scheme !== '' && !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) return INVALID;
  if (scheme === '' && authority === undefined && !path.startsWith('/')) return INVALID;
  if (scheme !== '' && authority === undefined && !path.startsWith('/')) {
    // An opaque URL (mailto:someone) has no host and no path.
    return path === '' ? INVALID : { scheme: scheme.toLowerCase(), host: '', path: '', query };
  }
  const host = (authority ?? '').slice((authority ?? '').lastIndexOf('@') + 1);
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(path)?.[0];
  const problem =
    hostProblem(host) ?? (escape === undefined ? undefined : `invalid URL escape ${JSON.stringify(escape)}`);
  return problem ?? { scheme: scheme.toLowerCase(), host, path: escapePath(path), query };
}

const INVALID = 'invalid URI for request';

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host";
  const bracketed = /^(\[[^\]]*\])(.*)$/.exec(host);
  const odd = bracketed === null ? /[ "<>\\^`{|}]/.exec(host)?.[0] : undefined;
  if (odd !== undefined) return `invalid character ${JSON.stringify(odd)} in host name`;
  const port = bracketed === null ? host.slice(`${host}:`.indexOf(':')) : (bracketed[2] ?? '');
  return /^(?::[0-9]*)?$/.test(port) ? undefined : `invalid port ${JSON.stringify(port)} after host`;
}

function escapePath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9\-_.~!$&'()*+,/:;=@%[\]]/gu, (char) =>
    [...new TextEncoder().encode(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

function hostname({ host }: Url): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host);
  return bracketed?.[1] ?? host.replace(/:[0-9]*$/, '');
}

function port({ host }: Url): string {
  return /:([0-9]*)$/.exec(host.replace(/^\[[^\]]*\]/, ''))?.[1] ?? '';
}

function query({ query: text }: Url): ValueMap {
  const values = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    // A pair with a semicolon or an invalid escape is dropped.
    if (pair === '' || pair.includes(';')) continue;
    const at = pair.indexOf('=');
    const [name, value] = [at < 0 ? pair : pair.slice(0, at), at < 0 ? '' : pair.slice(at + 1)].map(unescapeQuery);
    if (name === undefined || value === undefined) continue;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return new ValueMap([...values].map(([name, list]) => [name, new ArrayList(list)]));
}

function unescapeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** Returns the problem of an invalid URL in the words of Go's net/url, or undefined if it is valid. */
export function urlProblem(text: string): string | undefined {
  const url = read(text);
  return typeof url === 'string' ? `parse ${JSON.stringify(text)}: ${url}` : undefined;
}

function parse(text: string): Opaque {
  const problem = urlProblem(text);
  if (problem !== undefined) throw new EvaluationError(`URL parse error during conversion from string: ${problem}`);
  return new Opaque(URL_TYPE, read(text), text);
}

const accessor = (name: string, get: (url: Url) => string) =>
  method(name, 'kubernetes.URL -> string', ({ data }: Opaque) => get(data as Url));

export const URLS: Library = {
  constants: new Map([typeConstant(URL_TYPE)]),
  overloads: [
    fn('url', 'string -> kubernetes.URL', parse),
    fn('isURL', 'string -> bool', (text: string) => urlProblem(text) === undefined),
    accessor('getScheme', ({ scheme }) => scheme),
    accessor('getHost', ({ host }) => host),
    accessor('getHostname', hostname),
    accessor('getPort', port),
    accessor('getEscapedPath', ({ path }) => path),
    method('getQuery', 'kubernetes.URL -> map(string, list(string))', ({ data }: Opaque) => query(data as Url)),
  ],
};
