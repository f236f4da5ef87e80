/** Whom requests are sent as, instead of the user that the credentials stand for. */
export interface Impersonate {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A client certificate and its key, as PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** All that an HTTP client needs to reach an API server. */
export interface ClusterAccess {
  /** Where the server is: an http or https URL, perhaps with a path, without a slash at the end. */
  readonly server: string;
  /** The authorities to trust, as PEM; those of the system where absent. */
  readonly ca?: string;
  /** The name that the server's certificate must hold, where it is not the host of the URL. */
  readonly serverName?: string;
  /** Do not check the server's certificate. */
  readonly insecure: boolean;
  readonly proxyUrl?: string;
  /** Where namespaced requests go that name no namespace. */
  readonly namespace: string;
  readonly impersonate?: Impersonate;
  /** A client certificate that stays the same. */
  readonly cert?: string;
  readonly key?: string;
  /** The headers that carry credentials and impersonation; ask before every request, because tokens change. */
  readonly headers: () => Promise<Record<string, string | string[]>>;
  /** The client certificate of the moment: a plugin may give new ones. Undefined where there is none. */
  readonly certificate: () => Promise<ClientCertificate | undefined>;
  /**
   * To be called when the server has answered 401: what was remembered is forgotten. Whether a second attempt makes
   * sense, because credentials can be fetched anew.
   */
  readonly refused: () => boolean;
}

/** The headers that ask the server to act as somebody else. */
export function impersonationHeaders({ user, uid, groups, extra }: Impersonate): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'Impersonate-User': user };
  if (uid) headers['Impersonate-Uid'] = uid;
  if (groups.length > 0) headers['Impersonate-Group'] = [...groups];
  for (const [key, values] of Object.entries(extra)) {
    headers[`Impersonate-Extra-${encodeHeaderName(key)}`] = [...values];
  }
  return headers;
}

/** Percent-encodes what may not be part of a header's name, and the percent sign itself. */
function encodeHeaderName(key: string): string {
  return [...Buffer.from(key, 'utf8')]
    .map((byte) => {
      const char = String.fromCodePoint(byte);
      return /[\w!#$&'*+\-.^`|~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
