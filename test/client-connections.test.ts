import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPki } from '#control-plane/apiserver/access/pki';
import { realClock } from '#platform/base/clock';
import { seededRandom } from '#platform/base/random';
import { Transport } from '#platform/kube/http/transport';
import type { ClusterAccess } from '#platform/kube/kubeconfig/cluster-access';

let directory: string;
let server: Http2SecureServer;
let transport: Transport;
const versions: string[] = [];

/** A server that supports HTTP/2 and HTTP/1.1, and sends nothing after its headers. */
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'vimana-connections-'));
  const pki = openPki({ directory, clock: realClock });
  const { certPem: cert, keyPem: key } = pki.server;
  server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion);
    response.writeHead(200);
    response.write('\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const access: ClusterAccess = {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: pki.caPem,
    insecure: false,
    namespace: 'default',
    headers: async () => ({}),
    certificate: async () => undefined,
    refused: () => false,
  };
  transport = new Transport({ access, clock: realClock, random: seededRandom('connections'), userAgent: 'test' });
});
afterEach(async () => {
  await transport.close();
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

async function read(silentMs?: number): Promise<void> {
  const silence = silentMs === undefined ? {} : { silentMs };
  for await (const _ of await transport.stream({ method: 'GET', path: '/', ...silence }));
}

it('a stalled watch is closed, over HTTP/1.1, on which nothing else depends', async () => {
  await expect(read(500)).rejects.toThrow('Body Timeout Error');
  expect(versions).toEqual(['1.1']);
});
