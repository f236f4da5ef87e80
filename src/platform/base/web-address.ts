/** Reports whether an address is on a web server. */
export function isOnWeb(address: string): boolean {
  return /^https?:\/\//i.test(address);
}

/** Formats an address for display: without a password, and without what follows the path, which may be a signature. */
export function shownAddress(address: string): string {
  const url = isOnWeb(address) ? URL.parse(address) : null;
  return url === null ? address : `${url.origin}${url.pathname}${url.search === '' ? '' : '?...'}`;
}
