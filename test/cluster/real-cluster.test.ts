import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { missingAssets } from './assets.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const TIMEOUT = { timeout: 30_000, interval: 100 };
const namespace = 'default';

describe.skipIf(missingAssets().length > 0)('a real cluster', () => {
  let cluster: RealCluster;
  beforeAll(async () => {
    cluster = await startRealCluster({ nodes: 3, audit: true });
  });
  afterAll(() => cluster?.stop());

  it('is Kubernetes 1.36.3 with nodes that KWOK keeps ready', async () => {
    const client = await cluster.client();
    expect(JSON.parse(await client.raw('/version'))).toMatchObject({ gitVersion: 'v1.36.3' });
    const { items } = await client.list(NODES);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['kwok-node-1', 'kwok-node-2', 'kwok-node-3']);
    expect(items[0]?.status?.['addresses']).toContainEqual({ type: 'InternalIP', address: '10.246.0.1' });
  });

  it('schedules and starts pods, with volumes of the classes of vimana up', async () => {
    const client = await cluster.client();
    const accessModes = ['ReadWriteOnce'];
    const resources = { requests: { storage: '1Gi' } };
    for (const [name, storageClassName] of [
      ['at-once', 'standard'],
      ['when-used', 'fast-ssd'],
    ] as const) {
      await client.create(PERSISTENT_VOLUME_CLAIMS, {
        metadata: { name, namespace },
        spec: { accessModes, resources, storageClassName },
      });
    }
    const volumes = ['at-once', 'when-used'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
    await vi.waitFor(async () => {
      expect(await client.get(SERVICE_ACCOUNTS, 'default', { namespace })).toBeDefined();
    }, TIMEOUT);
    await client.create(PODS, {
      metadata: { name: 'web', namespace },
      spec: { containers: [{ name: 'web', image: 'nginx' }], volumes },
    });
    await vi.waitFor(async () => {
      const pod = await client.get(PODS, 'web', { namespace });
      expect(pod.status).toMatchObject({ phase: 'Running', podIP: expect.stringMatching(/^10\.247\./) });
      expect(pod.spec.nodeName).toMatch(/^kwok-node-/);
    }, TIMEOUT);
    const { items } = await client.list(PERSISTENT_VOLUME_CLAIMS, { namespace });
    expect(items.map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound']);
  });

  it('allows a ServiceAccount exactly what its roles allow, and records requests', async () => {
    const client = await cluster.client();
    await client.create(NAMESPACES, { metadata: { name: 'apart' } });
    await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'robot', namespace: 'apart' } });
    const robot = await cluster.client(await cluster.tokenFor({ namespace: 'apart', name: 'robot' }));
    await expect(robot.list(PODS)).rejects.toThrow(
      'User "system:serviceaccount:apart:robot" cannot list resource "pods" in API group "" at the cluster scope',
    );
    await vi.waitFor(
      () => expect(readFileSync(cluster.auditLog, 'utf8')).toContain('system:serviceaccount:apart:robot'),
      TIMEOUT,
    );
  });

  it('keeps all writes when API server and etcd are killed and restarted', async () => {
    const client = await cluster.client();
    await client.create(CONFIG_MAPS, { metadata: { name: 'kept', namespace }, data: { a: '1' } });
    await cluster.restartApiServer({ how: 'at once' });
    await cluster.restartEtcd({ how: 'at once' });
    expect(await client.get(CONFIG_MAPS, 'kept', { namespace })).toMatchObject({ data: { a: '1' } });
  });
});

describe.skipIf(missingAssets().length > 0)('a test that is killed', () => {
  it('leaves no process and no directory of its cluster behind', async () => {
    const script = `
      import { startRealCluster } from ${JSON.stringify(resolve(import.meta.dirname, 'real-cluster.ts'))};
      const cluster = await startRealCluster({ nodes: 1 });
      console.log(cluster.folder);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [folder] = (await once(createInterface(child.stdout), 'line')) as [string];
    // Each of the five programs has a watcher process and a keeper process.
    expect(processesOf(folder)).toHaveLength(15);
    child.kill('SIGKILL');
    await vi.waitFor(() => {
      expect(processesOf(folder)).toEqual([]);
      expect(existsSync(folder)).toBe(false);
    }, TIMEOUT);
  });
});

/** Returns the processes whose command line contains a directory. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(folder));
}
