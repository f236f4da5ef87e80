/** Headers by lower-case name. */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Whether a browser sent a request, and not a program. Browsers say where a page is from, in one of these headers, and
 * no page can leave them out. Node's fetch is a program that says `sec-fetch-mode: cors` and nothing more of the kind,
 * which no browser does.
 */
export function isFromBrowser(headers: HeaderValues): boolean {
  if (headers['origin'] !== undefined) return true;
  const said = Object.keys(headers).filter((name) => name.startsWith('sec-fetch-'));
  const isNode = said.length === 1 && headers['sec-fetch-mode'] === 'cors';
  return said.length > 0 && !isNode;
}

/**
 * Whether a page of another origin made the browser send a request. To open an address in a window is no such thing:
 * the page that links to it cannot read it.
 */
export function isCrossOrigin(method: string, headers: HeaderValues): boolean {
  const { origin, host } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, host)) return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const isRead = method === 'GET' || method === 'HEAD';
  return !(isRead && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document');
}

/** The scheme does not count: there may be a proxy before us that encrypts. */
function isOwnOrigin(origin: HeaderValues[string], host: HeaderValues[string]): boolean {
  const url = typeof origin === 'string' ? URL.parse(origin) : null;
  if (url === null || typeof host !== 'string' || !/^https?:$/.test(url.protocol)) return false;
  return url.host === URL.parse(`${url.protocol}//${host}`)?.host;
}
