import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { HttpClient } from '#platform/kube/http/http-client';
import { LEASES } from '#platform/kube/kinds/node';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { hasKubectl, Kubectl } from '../e2e/support/kubectl.ts';
import { createMachines, untilRunning } from '../operator/fleet-of-machines.ts';
import { type Installation, installChart } from '../operator/installation.ts';
import { buildImage, type Image } from './image.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEPLOYMENT = join(ROOT, 'test/image/documented-deployment.yaml');
const TIMEOUT = { timeout: 60_000, interval: 200 };
const MINUTES = 60_000;
const [name, namespace] = ['novacron-operator', 'novacron-system'];

/** No image is built here. The Dockerfile is executed step by step in a directory, and the operator runs from that. */
describe('the image', () => {
  let folder: string;
  let image: Image;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'vimana-image-'));
    // The files must be readable for the user of the image.
    chmodSync(folder, 0o755);
    image = buildImage(join(ROOT, 'deploy/Dockerfile'), ROOT, folder);
  }, 10 * MINUTES);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is small, belongs to nobody, and contains only what runs', () => {
    expect(image.bases).toEqual(['node:26-bookworm-slim', 'node:26-bookworm-slim']);
    expect(image).toMatchObject({ user: '65532:65532', entrypoint: ['/manager'], ports: ['8080', '8081', '9443'] });
    expect(readdirSync(image.root).toSorted()).toEqual(['manager', 'vimana']);
    expect(readdirSync(join(image.root, 'vimana')).toSorted()).toEqual(['dist', 'node_modules', 'package.json']);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: object;
      devDependencies: object;
    };
    const has = (module: string) => existsSync(join(image.root, 'vimana/node_modules', module));
    expect(Object.keys(dependencies).filter((module) => !has(module))).toEqual([]);
    expect(Object.keys(devDependencies).filter(has)).toEqual([]);
  });

  describe.skipIf(missingAssets().length > 0 || !hasKubectl())('in a Deployment of another image', () => {
    let cluster: RealCluster;
    let client: HttpClient;
    let installed: Installation;
    let kubectl: Kubectl;

    beforeAll(async () => {
      cluster = await startRealCluster({ nodes: 2 });
      client = await cluster.client();
      kubectl = new Kubectl(cluster.kubeconfig, cluster.folder);
      const manager = join(image.root, 'manager');
      // In the image, this directory is the root of the file system.
      writeFileSync(manager, readFileSync(manager, 'utf8').replaceAll('/vimana/', `${image.root}/vimana/`));
      const [user = ''] = image.user.split(':');
      // Only root can run a process as another user.
      const asUser = process.getuid?.() === 0 ? { user: Number(user) } : {};
      chmodSync(cluster.folder, 0o711);
      installed = await installChart(cluster, { name, namespace, program: [manager], ...asUser });
    });
    afterAll(async () => {
      await installed?.stop();
      await cluster?.stop();
    });

    it('is all that has to be changed', async () => {
      const given = readFileSync(DEPLOYMENT, 'utf8');
      const changed = given.replace('image: novacron/operator:v1.0.0', 'image: vimana/operator:0.1.0');
      expect(changed).not.toBe(given);
      // The selector of a Deployment is immutable, so the one of the chart is deleted first.
      expect(await kubectl.run(['-n', namespace, 'delete', 'deployment', name])).toMatchObject({ code: 0 });
      expect(await kubectl.run(['apply', '-f', '-'], changed)).toMatchObject({ code: 0, err: '' });
      await installed.reread();
      const replicas = await Promise.all([1, 2, 3].map(() => installed.startReplica()));
      for (const replica of replicas) await replica.untilReady();
    });

    it('leads by the lease of its release, and runs VMs', async () => {
      await vi.waitFor(() => createMachines(client, 'default', ['first']), TIMEOUT);
      await untilRunning(client, 'default', 1, TIMEOUT.timeout);
      const { items } = await client.list(LEASES, { namespace });
      expect(items.map(({ metadata }) => metadata.name)).toEqual([name]);
      const leads = await Promise.all(installed.replicas.map((each) => each.measured('vimana_leader')));
      expect(leads.toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
    });

    it('needs no permission that its release does not have, and writes no file', () => {
      for (const replica of installed.replicas) {
        expect(replica.log()).not.toMatch(/forbidden|EACCES|EROFS|"level":"error"/i);
      }
    });
  });
});
