import type { Duplex } from 'node:stream';
import type { UpgradedConnection } from './api-extension.ts';

/** WebSocket connection whose handshake is complete. */
export interface WebSocketConnection {
  /** Subprotocol that both sides agreed on. Empty if the client offered none. */
  readonly protocol: string;
  /** Each chunk that is read or written is one message. The stream ends when either side closes the connection. */
  readonly stream: Duplex;
}

/** Parts of a request that a handshake needs. */
export interface UpgradeRequest {
  readonly method: string;
  header(name: string): string | undefined;
  readonly upgrade?: () => UpgradedConnection;
}

/**
 * Completes the handshake of a client that requests a WebSocket, with the first of the protocols that the client
 * offers. The caller has checked that it requests one.
 */
export type AcceptWebSocket = (request: UpgradeRequest, protocols: readonly string[]) => Promise<WebSocketConnection>;

/** Reports whether a request can become a WebSocket connection. */
export function requestsWebSocket(request: UpgradeRequest): boolean {
  return request.upgrade !== undefined && request.header('upgrade')?.toLowerCase() === 'websocket';
}

/** Returns the subprotocols that a client offers, in its order. */
export function offeredProtocols(request: Pick<UpgradeRequest, 'header'>): string[] {
  const offered = request.header('sec-websocket-protocol') ?? '';
  return offered.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

/** Completes a handshake, and connects the client to a stream of bytes until either of them ends. */
export type ServeStream = (request: UpgradeRequest, protocols: readonly string[], peer: Duplex) => Promise<void>;
