import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serviceRangeProblem } from '#platform/kube/service-range';
import { startPlane } from './apiextensions/plane.fixture.ts';

const PATHS = {
  service: '/api/v1/namespaces/default/services/kubernetes',
  endpoints: '/api/v1/namespaces/default/endpoints/kubernetes',
  slice: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
  range: '/apis/networking.k8s.io/v1/servicecidrs/kubernetes',
} as const;

test('the service kubernetes has the address of the server, also after its port changed', async () => {
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

test('a server without an advertised address has a service without endpoints', async () => {
  const { plane, ask } = await startPlane();
  expect((await ask('GET', PATHS.service)).code).toBe(200);
  expect((await ask('GET', PATHS.endpoints)).code).toBe(404);
  expect((await ask('GET', PATHS.slice)).code).toBe(404);
  await plane.stop();
});

test('services get addresses only from the configured range', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'own-service-'));
  const options = { dataDir, store: 'lmdb', durability: 'relaxed' } as const;
  try {
    const { plane, ask } = await startPlane({ ...options, serviceClusterIpRange: '10.1.2.0/28' });
    const path = '/api/v1/namespaces/default/services';
    const spec = (await ask('POST', path, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } })).body['spec'];
    expect((spec as { clusterIP: string }).clusterIP).toMatch(/^10\.1\.2\.(?:[2-9]|1[0-4])$/);
    expect((await ask('GET', PATHS.service)).body).toMatchObject({ spec: { clusterIP: '10.1.2.1' } });
    expect(new X509Certificate(plane.pki.server.certPem).subjectAltName).toContain('10.1.2.1');
    await plane.stop();
    await expect(startPlane(options)).rejects.toThrow('have addresses of 10.1.2.0/28, not of 10.96.0.0/16');
    const again = await startPlane({ ...options, serviceClusterIpRange: '10.1.2.0/28' });
    await again.plane.stop();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test.each([
  ['10.0.0.0/24', undefined],
  ['10.0.0.0', 'IPv4 CIDR'],
  ['fd00::/108', 'IPv4 CIDR'],
  ['10.0.0.1/24', '10.0.0.0/24'],
  ['10.0.0.0/8', 'too large'],
  ['10.0.0.0/30', 'too small'],
])('the range %s is rejected with %s', (text, problem) => {
  expect(serviceRangeProblem(text) ?? '').toContain(problem ?? '');
  expect(serviceRangeProblem(text) === undefined).toBe(problem === undefined);
});
