/** Identity as which requests are sent, instead of the user of the credentials. */
export interface Impersonate {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Client certificate and its key, as PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Everything that an HTTP client needs to reach an API server. */
export interface ClusterAccess {
  /** Server address: an http or https URL, optionally with a path, without a trailing slash. */
  readonly server: string;
  /** Trusted certificate authorities, as PEM. Defaults to those of the system. */
  readonly ca?: string;
  /** Name that the server's certificate must hold, if it is not the host of the URL. */
  readonly serverName?: string;
  /** Skips the check of the server's certificate. */
  readonly insecure: boolean;
  readonly proxyUrl?: string;
  /** Namespace of namespaced requests that name none. */
  readonly namespace: string;
  readonly impersonate?: Impersonate;
  /** Static client certificate. */
  readonly cert?: string;
  readonly key?: string;
  /**
   * Returns the headers that carry credentials and impersonation. Call it before every request, because tokens change.
   */
  readonly headers: () => Promise<Record<string, string | string[]>>;
  /** Returns the current client certificate, which a plugin may renew, or undefined if there is none. */
  readonly certificate: () => Promise<ClientCertificate | undefined>;
  /**
   * Drops cached credentials after the server has responded 401. Returns true if a retry makes sense, because
   * credentials can be fetched again.
   */
  readonly refused: () => boolean;
}

/** Returns the headers that request impersonation. */
export function impersonationHeaders({ user, uid, groups, extra }: Impersonate): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'Impersonate-User': user };
  if (uid) headers['Impersonate-Uid'] = uid;
  if (groups.length > 0) headers['Impersonate-Group'] = [...groups];
  for (const [key, values] of Object.entries(extra)) {
    headers[`Impersonate-Extra-${encodeHeaderName(key)}`] = [...values];
  }
  return headers;
}

/** Percent-encodes characters that are not allowed in a header name, and the percent sign itself. */
function encodeHeaderName(key: string): string {
  return [...Buffer.from(key, 'utf8')]
    .map((byte) => {
      const char = String.fromCodePoint(byte);
      return /[\w!#$&'*+\-.^`|~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
