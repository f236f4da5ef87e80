import type { Client } from '../client.ts';
import { Transport, type TransportDeps } from './transport.ts';
import { clientOver } from './wire-client.ts';

/** Client over HTTP whose connections can be closed. */
export interface HttpClient extends Client {
  /** Returns the body of a response to a GET as it arrives. */
  stream(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

export function httpClient(parts: TransportDeps): HttpClient {
  const transport = new Transport(parts);
  return {
    ...clientOver(transport, parts),
    stream: (path, signal) => transport.stream({ method: 'GET', path, signal }),
    close: () => transport.close(),
  };
}
