import type { Client } from '../client.ts';
import { Transport, type TransportDeps } from './transport.ts';
import { clientOver } from './wire-client.ts';

/** Client over HTTP whose connections can be closed. */
export interface HttpClient extends Client {
  close(): Promise<void>;
}

export function httpClient(parts: TransportDeps): HttpClient {
  const transport = new Transport(parts);
  return { ...clientOver(transport, parts), close: () => transport.close() };
}
