import { goQuote } from '#platform/base/go-value';

/** Parts of a URL that are validated. */
export interface GoUrl {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2}).{0,2}/;
const BAD_HOST = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/;

/** Parses a URL as Go does, which accepts many invalid ones. `problem` is Go's message for what it rejects. */
export function parseGoUrl(text: string): GoUrl | { readonly problem: string } {
  const problem = (why: string): { problem: string } => ({ problem: `parse ${goQuote(text)}: ${why}` });
  if ([...text].some((char) => char < ' ' || char === '\x7f'))
    return problem('net/url: invalid control character in URL');
  const [beforeFragment = '', ...fragments] = text.split('#');
  const [, scheme = '', rest = beforeFragment] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/.exec(beforeFragment) ?? [];
  if (beforeFragment.startsWith(':')) return problem('missing protocol scheme');
  const [place = '', ...queries] = rest.split('?');
  if (scheme === '' && !place.startsWith('/') && (place.split('/')[0] ?? '').includes(':')) {
    return problem('first path segment in URL cannot contain colon');
  }
  const [, authority = '', path = place] = /^\/\/([^/]*)(.*)$/.exec(place) ?? [];
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? undefined : authority.slice(0, at);
  const host = authority.slice(at + 1);
  const wrong = BAD_HOST.exec(host)?.[0];
  if (wrong !== undefined) return problem(`invalid character ${goQuote(wrong)} in host name`);
  const port = /:([^\]]*)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) return problem(`invalid port ${goQuote(`:${port}`)} after host`);
  const escape = BAD_ESCAPE.exec(path)?.[0];
  if (escape !== undefined) return problem(`invalid URL escape ${goQuote(escape)}`);
  return { scheme: scheme.toLowerCase(), user, host, query: queries.join('?'), fragment: fragments.join('#') };
}
