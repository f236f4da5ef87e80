import { decodeBase64Url } from './base64url.ts';

/**
 * The headers of a request by lower-case name, those that come more than once as a list: IncomingMessage.headersDistinct,
 * not `headers`, which would make one group of two.
 */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const WEB_SOCKET_PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** The bearer token of a request, from its header or, for browsers, from its WebSocket protocols; '' where it has none. */
export function bearerToken(headers: RequestHeaders): string {
  const [scheme = '', token = ''] = first(headers['authorization']).trim().split(' ');
  if (scheme.toLowerCase() === 'bearer') return token;
  return webSocketToken([headers['sec-websocket-protocol'] ?? []].flat().join(','));
}

/** The WebSocket protocols that a server may answer with: all but the one that carries a token. */
export function withoutBearerProtocol(protocols: string): string {
  return splitProtocols(protocols)
    .filter((protocol) => !protocol.startsWith(WEB_SOCKET_PREFIX))
    .join(', ');
}

function webSocketToken(protocols: string): string {
  const carrier = splitProtocols(protocols).find((protocol) => protocol.startsWith(WEB_SOCKET_PREFIX));
  // A protocol alone is no request for a protocol: the answer must name one that is not the token.
  if (carrier === undefined || withoutBearerProtocol(protocols) === '') return '';
  // What cannot be read is nobody's token; without any, its sender would be taken for somebody who shows none.
  return decodeBase64Url(carrier.slice(WEB_SOCKET_PREFIX.length))?.toString('utf8') || carrier;
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
