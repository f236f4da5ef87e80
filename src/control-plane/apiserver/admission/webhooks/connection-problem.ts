import type { Destination } from '../../webhook-post.ts';

interface NodeError {
  readonly code?: string;
  readonly message?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
  readonly cert?: { readonly subjectaltname?: string };
}

const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const X509 = 'tls: failed to verify certificate: x509: certificate';

/** Describes a failed connection like Go's HTTP client, since users know and search for its messages. */
export function connectionProblem(error: unknown, { serverName }: Destination): string {
  const found = innermost(error as NodeError);
  const { code = '', message = String(error) } = found;
  if (UNKNOWN_AUTHORITY.has(code)) return `${X509} signed by unknown authority`;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${found.address}:${found.port}: connect: connection refused`;
    case 'EHOSTUNREACH':
      return `dial tcp ${found.address}:${found.port}: connect: no route to host`;
    case 'ETIMEDOUT':
      return `dial tcp ${found.address}:${found.port}: i/o timeout`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${found.hostname}: no such host`;
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${X509} has expired or is not yet valid`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${X509} is valid for ${validNames(found, serverName)}, not ${serverName}`;
    case 'UND_ERR_SOCKET':
      return 'EOF';
    case 'ECONNRESET':
      return 'read: connection reset by peer';
    default:
      return message;
  }
}

/** Unwraps an error that a library wrapped, or that holds one error for each address tried. */
function innermost(error: NodeError): NodeError {
  const first = error.errors?.[0] as NodeError | undefined;
  if (first !== undefined) return innermost(first);
  const cause = error.cause as NodeError | undefined;
  return cause?.code === undefined ? error : innermost(cause);
}

/** Returns the names in the certificate of the requested type: addresses or host names. */
function validNames({ cert }: NodeError, serverName: string): string {
  const names = (cert?.subjectaltname ?? '').split(', ').filter((name) => name !== '');
  const prefix = /^[\d.]+$|:/.test(serverName) ? 'IP Address:' : 'DNS:';
  return names
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .join(', ');
}
