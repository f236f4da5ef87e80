/** Headers by lower-case name. */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reports whether a browser, and not a program, sent a request: browsers state the origin of a page in one of these
 * headers, and no page can omit them. The fetch of Node.js sends only `sec-fetch-mode: cors`, which no browser does.
 */
export function isFromBrowser(headers: HeaderValues): boolean {
  if (headers['origin'] !== undefined) return true;
  const said = Object.keys(headers).filter((name) => name.startsWith('sec-fetch-'));
  const isNode = said.length === 1 && headers['sec-fetch-mode'] === 'cors';
  return said.length > 0 && !isNode;
}

/**
 * Reports whether a page of another origin made the browser send a request. Opening an address in a window does not
 * count, because the page that links to it cannot read it.
 */
export function isCrossOrigin(method: string, headers: HeaderValues): boolean {
  const { origin, host } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, host)) return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const isRead = method === 'GET' || method === 'HEAD';
  return !(isRead && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document');
}

/** Compares origins without the scheme, because a proxy in front of the server may add TLS. */
function isOwnOrigin(origin: HeaderValues[string], host: HeaderValues[string]): boolean {
  const url = typeof origin === 'string' ? URL.parse(origin) : null;
  if (url === null || typeof host !== 'string' || !/^https?:$/.test(url.protocol)) return false;
  return url.host === URL.parse(`${url.protocol}//${host}`)?.host;
}
