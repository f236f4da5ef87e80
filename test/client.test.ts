import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import { type ClientSubject, clientContract } from '#platform/kube/client.contract';
import { httpClient } from '#platform/kube/http/http-client';
import { startVmControlPlane } from '#programs/embedded/control-plane';

const start = (insecure = false) =>
  startVmControlPlane({ clock: realClock, random: systemRandom(), log: noopLogger, insecure });

async function compact({ backend }: ControlPlane): Promise<void> {
  await backend.stores.main.compact(backend.stores.main.revision);
}

async function overHttp(insecure: boolean): Promise<ClientSubject> {
  const plane = await start(insecure);
  const { certPem: cert, keyPem: key } = plane.pki.admin;
  const access = {
    server: plane.url,
    insecure: false,
    namespace: 'default',
    ...(insecure ? {} : { ca: plane.pki.caPem }),
    headers: async () => (insecure ? { authorization: `Bearer ${plane.adminToken}` } : {}) as Record<string, string>,
    certificate: async () => (insecure ? undefined : { cert, key }),
    refused: () => false,
  };
  const client = httpClient({ access, clock: realClock, random: systemRandom(), userAgent: 'contract/1' });
  return {
    client,
    compact: () => compact(plane),
    stop: async () => {
      await client.close();
      await plane.stop();
    },
  };
}

clientContract('the client in the process', async () => {
  const plane = await start();
  const client = plane.client({ name: 'admin', groups: ['system:masters'] }, 'contract');
  return { client, compact: () => compact(plane), stop: () => plane.stop() };
});

clientContract('the client over HTTPS, by certificate', () => overHttp(false));
clientContract('the client over plain HTTP, by token', () => overHttp(true));
