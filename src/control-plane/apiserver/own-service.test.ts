import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startPlane } from './apiextensions/plane.fixture.ts';

const PATHS = {
  service: '/api/v1/namespaces/default/services/kubernetes',
  endpoints: '/api/v1/namespaces/default/endpoints/kubernetes',
  slice: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
  range: '/apis/networking.k8s.io/v1/servicecidrs/kubernetes',
} as const;

test('the service kubernetes leads to the server, also after it moved to another port', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'own-service-'));
  try {
    let since: unknown;
    for (const advertised of ['192.0.2.1', '192.0.2.2']) {
      const { plane, ask } = await startPlane({ dataDir, store: 'lmdb', durability: 'relaxed', advertised });
      const { port } = plane;
      const [service, endpoints, slice, range] = await Promise.all(
        Object.values(PATHS).map(async (path) => (await ask('GET', path)).body),
      );
      expect(service).toMatchObject({
        spec: { clusterIP: '10.96.0.1', type: 'ClusterIP', ports: [{ name: 'https', port: 443, targetPort: port }] },
      });
      expect(endpoints).toMatchObject({ subsets: [{ addresses: [{ ip: advertised }], ports: [{ port }] }] });
      expect(slice).toMatchObject({ endpoints: [{ addresses: [advertised] }], ports: [{ port }] });
      expect(range).toMatchObject({
        spec: { cidrs: ['10.96.0.0/16'] },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      });
      since ??= range?.['metadata'];
      expect(range?.['metadata']).toEqual(since);
      await plane.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('a server that nobody else reaches has a service without endpoints', async () => {
  const { plane, ask } = await startPlane();
  expect((await ask('GET', PATHS.service)).code).toBe(200);
  expect((await ask('GET', PATHS.endpoints)).code).toBe(404);
  expect((await ask('GET', PATHS.slice)).code).toBe(404);
  await plane.stop();
});
