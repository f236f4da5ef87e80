import { describe, expect, test } from 'vitest';
import type { ServiceSpec } from '../../kinds/service/service-spec.ts';
import { type Cluster, testCluster } from '../chain.fixture.ts';

const RANGES = { addresses: '10.96.0.0/28', firstNodePort: 30_000, lastNodePort: 30_019 };
const service = (spec: ServiceSpec = {}, name = 's') => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

const create = async (cluster: Cluster, spec?: ServiceSpec, name?: string, how = {}) =>
  (await cluster.create('services/x', service(spec, name), how))['spec'] as ServiceSpec;
const patch = async (cluster: Cluster, spec: object) =>
  (await cluster.patch('services/x/s', { spec }))['spec'] as ServiceSpec;

describe('the address of a service', () => {
  test('is a free one of the range', async () => {
    const cluster = await testCluster();
    const spec = await create(cluster);
    expect(spec.clusterIP).toMatch(/^10\.96\.\d+\.\d+$/);
    expect(spec).toMatchObject({
      clusterIPs: [spec.clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
  });

  test('is unique until the range is exhausted, and free again when the service is deleted', async () => {
    const cluster = await testCluster({ serviceRanges: RANGES });
    const made = await Promise.all(Array.from({ length: 14 }, (_, i) => create(cluster, {}, `s${i}`)));
    expect(new Set(made.map(({ clusterIP }) => clusterIP)).size).toBe(14);
    const { code, message } = await cluster.refused(create(cluster));
    expect([code, message]).toEqual([500, 'Internal error occurred: failed to allocate a serviceIP: range is full']);
    await cluster.delete('services/x/s3');
    expect((await create(cluster)).clusterIP).toBe(made[3]?.clusterIP);
  });

  test('is the requested one if it is free and in the range', async () => {
    const cluster = await testCluster();
    expect(await create(cluster, { clusterIP: '10.96.7.7' })).toMatchObject({ clusterIPs: ['10.96.7.7'] });
    const rejected = async (clusterIP: string) => (await cluster.refused(create(cluster, { clusterIP }, 't'))).message;
    const start = 'Service "t" is invalid: spec.clusterIPs: Invalid value:';
    expect(await rejected('10.96.7.7')).toBe(
      `${start} ["10.96.7.7"]: failed to allocate IP 10.96.7.7: provided IP is already allocated`,
    );
    for (const ip of ['1.2.3.4', '10.96.0.0', '10.96.255.255']) {
      expect(await rejected(ip)).toBe(
        `${start} ["${ip}"]: failed to allocate IP ${ip}: the provided network does not match the current range`,
      );
    }
    expect(await rejected('fd00::1')).toBe(
      'Service "t" is invalid: spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
    );
  });

  test('is free again after a rejected or dry-run service', async () => {
    const cluster = await testCluster();
    await create(cluster, { clusterIP: '10.96.7.7' }, 't', { dryRun: true });
    await cluster.refused(create(cluster, { clusterIP: '10.96.7.7', sessionAffinity: 'Sometimes' }, 't'));
    await expect(create(cluster, { clusterIP: '10.96.7.7' })).resolves.toBeDefined();
  });

  test('stays when the type changes, and is allocated when an ExternalName becomes a ClusterIP', async () => {
    const cluster = await testCluster();
    await cluster.create('services/x', {
      metadata: { name: 's' },
      spec: { type: 'ExternalName', externalName: 'a.b' },
    });
    const plain = await patch(cluster, { type: 'ClusterIP', externalName: null, ports: [{ port: 80 }] });
    expect(plain.clusterIP).toMatch(/^10\.96\./);
    const open = await patch(cluster, { type: 'NodePort', clusterIP: null, clusterIPs: null });
    expect(open.clusterIP).toBe(plain.clusterIP);
    expect(open.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
    const named = await patch(cluster, { type: 'ExternalName', externalName: 'x.y' });
    expect(named).not.toHaveProperty('clusterIP');
    await expect(create(cluster, { clusterIP: plain.clusterIP ?? '' }, 't')).resolves.toBeDefined();
  });

  test('is None for a headless service', async () => {
    const cluster = await testCluster();
    expect(await create(cluster, { clusterIP: 'None' })).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
    expect(await create(cluster, { clusterIP: 'None', selector: { a: 'b' } }, 't')).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
  });

  test.each<[problem: string, spec: ServiceSpec]>([
    [
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
      { ipFamilyPolicy: 'RequireDualStack' },
    ],
    ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster', { ipFamilies: ['IPv6'] }],
  ])('has one family only: %s', async (problem, spec) => {
    const cluster = await testCluster();
    expect((await cluster.refused(create(cluster, spec))).message).toBe(`Service "s" is invalid: ${problem}`);
  });
});

describe('node ports', () => {
  test('are allocated if the type needs them, and shared by protocols of the same port', async () => {
    const cluster = await testCluster();
    const { ports } = await create(cluster, {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 53, protocol: 'UDP' },
        { name: 'b', port: 53, protocol: 'TCP' },
        { name: 'c', port: 80 },
      ],
    });
    const [udp, tcp, other] = (ports ?? []).map(({ nodePort }) => nodePort);
    expect(udp).toBe(tcp);
    expect(other).not.toBe(udp);
  });

  test('are the requested ones if they are free and in the range', async () => {
    const cluster = await testCluster();
    const asked = (nodePort: number): ServiceSpec => ({ type: 'NodePort', ports: [{ port: 80, nodePort }] });
    await create(cluster, asked(30_123));
    const rejected = async (spec: ServiceSpec) => (await cluster.refused(create(cluster, spec, 't'))).message;
    const start = 'Service "t" is invalid: spec.ports[0].nodePort: Invalid value:';
    expect(await rejected(asked(30_123))).toBe(`${start} 30123: provided port is already allocated`);
    expect(await rejected(asked(123))).toBe(
      `${start} 123: provided port is not in the valid range. The range of valid ports is 30000-32767`,
    );
    const balanced = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    expect(await rejected({ ...balanced, healthCheckNodePort: 30_123 })).toBe(
      'Internal error occurred: failed to allocate requested HealthCheck NodePort 30123: provided port is already allocated',
    );
    const { healthCheckNodePort, ports } = await create(cluster, balanced, 't');
    expect(healthCheckNodePort).toBeGreaterThanOrEqual(30_000);
    expect(healthCheckNodePort).not.toBe(ports?.[0]?.nodePort);
  });

  test('can be swapped within a service, and are free when they are no longer used', async () => {
    const cluster = await testCluster();
    const both = (a: number, b: number) => ({
      ports: [
        { name: 'a', port: 80, nodePort: a },
        { name: 'b', port: 81, nodePort: b },
      ],
    });
    await create(cluster, { type: 'NodePort', ...both(30_124, 30_125) });
    expect((await patch(cluster, both(30_125, 30_124))).ports?.map(({ nodePort }) => nodePort)).toEqual([
      30_125, 30_124,
    ]);
    await patch(cluster, { type: 'ClusterIP' });
    await expect(
      create(cluster, { type: 'NodePort', ports: [{ port: 80, nodePort: 30_124 }] }, 't'),
    ).resolves.toBeDefined();
  });
});
