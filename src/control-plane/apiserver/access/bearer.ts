import { decodeUtf8 } from '#platform/base/bytes';
import { decodeBase64Url } from './base64url.ts';

/**
 * Headers of a request by lower-case name, repeated ones as a list. Use IncomingMessage.headersDistinct, not `headers`,
 * which would join two groups into one.
 */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const WEB_SOCKET_PREFIX = 'base64url.bearer.authorization.k8s.io.';

/**
 * Returns the bearer token of a request, from its header or, for browsers, from its WebSocket protocols; '' if it has
 * none.
 */
export function bearerToken(headers: RequestHeaders): string {
  const [scheme = '', token = ''] = first(headers['authorization']).trim().split(' ');
  if (scheme.toLowerCase() === 'bearer') return token;
  return webSocketToken([headers['sec-websocket-protocol'] ?? []].flat().join(','));
}

/** Returns the WebSocket protocols that a server may respond with: all but the one that carries a token. */
export function withoutBearerProtocol(protocols: string): string {
  return splitProtocols(protocols)
    .filter((protocol) => !protocol.startsWith(WEB_SOCKET_PREFIX))
    .join(', ');
}

function webSocketToken(protocols: string): string {
  const carrier = splitProtocols(protocols).find((protocol) => protocol.startsWith(WEB_SOCKET_PREFIX));
  // The token alone is not enough: the response must name a protocol that is not the token.
  if (carrier === undefined || withoutBearerProtocol(protocols) === '') return '';
  // An undecodable token is invalid; if it were dropped, its sender would count as one without credentials.
  const token = decodeBase64Url(carrier.slice(WEB_SOCKET_PREFIX.length));
  return token === undefined || token.length === 0 ? carrier : decodeUtf8(token);
}

function splitProtocols(protocols: string): string[] {
  return protocols
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
}

function first(value: RequestHeaders[string]): string {
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}
