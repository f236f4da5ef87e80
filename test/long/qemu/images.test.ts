import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FileServer, fileServer, sha256 } from '#testing/images/image-server';
import { hasKubectl, hasPrograms, hasQemu } from '#testing/programs';
import { Kubectl } from '../../e2e/support/kubectl.ts';
import { type RunningServer, startUp } from '../../e2e/support/vimana.ts';
import { pushDisk, startRegistry } from './container-image.ts';
import { guestImage } from './guest.ts';

const isReady = hasQemu() && hasKubectl() && hasPrograms('images of a registry', 'docker-registry', 'skopeo');
const VIMANA = resolve(import.meta.dirname, '../../../bin/vimana');
const WAIT = { timeout: 300_000, interval: 500 };

let directory: string;
let guest: Buffer;
let registry: Awaited<ReturnType<typeof startRegistry>>;
let web: FileServer;
beforeAll(async () => {
  if (!isReady) return;
  directory = mkdtempSync(join(tmpdir(), 'vimana-images-'));
  guest = readFileSync(await guestImage());
  registry = await startRegistry(directory);
  web = await fileServer();
}, 300_000);
afterAll(async () => {
  if (!isReady) return;
  await registry.stop();
  await web.close();
  rmSync(directory, { recursive: true });
});

const userData = (name: string) => `#!/bin/sh\necho "Hello from ${name}"\n`;
const kubevirtVm = (name: string, image: string) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name },
  spec: {
    runStrategy: 'Always',
    template: {
      spec: {
        domain: {
          memory: { guest: '128Mi' },
          devices: { disks: ['root', 'seed'].map((disk) => ({ name: disk, disk: {} })) },
        },
        volumes: [
          { name: 'root', containerDisk: { image } },
          { name: 'seed', cloudInitNoCloud: { userData: userData(name) } },
        ],
      },
    },
  },
});
const hypersdkVm = (name: string, source: string) => ({
  apiVersion: 'hypersdk.io/v1alpha1',
  kind: 'VirtualMachine',
  metadata: { name },
  spec: {
    running: true,
    cpus: 1,
    memory: '128Mi',
    image: { source, checksum: { type: 'sha256', value: sha256(guest) } },
    cloudInit: { userData: userData(name) },
  },
});

/** Returns what the guests on a node have printed. */
function consoles({ folder }: RunningServer): string {
  const root = join(folder, 'data/machines/qemu-node-1');
  const logs = readdirSync(root).map((name) => join(root, name, 'serial.log'));
  return logs.map((log) => readFileSync(log, 'utf8')).join('');
}

describe.skipIf(!isReady)('images of real VMs', () => {
  it('come from a registry and from web servers, for VMs of several groups', async () => {
    pushDisk(directory, guest, `${registry.host}/disks/guest:v1`);
    web.files.set('/guest.raw', { content: guest });
    web.files.set('/error.html', { content: Buffer.from('<html>') });
    const server = await startUp([
      ...['--runtime', 'qemu', '--empty', '--dialects', 'kubevirt,hypersdk', '--image-hosts', '127.0.0.1'],
      ...['--image-mirror', `quay.io/demo=${registry.host}/disks`],
    ]);
    const kubectl = new Kubectl(server.kubeconfig, server.folder);
    const vms = [
      kubevirtVm('from-registry', 'quay.io/demo/guest:v1'),
      hypersdkVm('from-web', `${web.url}/guest.raw`),
      kubevirtVm('missing', `${registry.host}/disks/missing:v1`),
    ];
    const file = join(directory, 'vms.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: vms }));
    await kubectl.ok(['apply', '-f', file]);
    await vi.waitUntil(
      () => ['from-registry', 'from-web'].every((name) => consoles(server).includes(`Hello from ${name}`)),
      WAIT,
    );
    const status = await kubectl.ok(['get', 'vm.kubevirt.io', 'missing', '-o', 'jsonpath={.status.printableStatus}']);
    expect(status).toBe('ErrImagePull');
    const listed = spawnSync(VIMANA, ['image', 'list', '--data-dir', join(server.folder, 'data'), '-o', 'json'], {
      encoding: 'utf8',
    });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ digest: sha256(guest), usedBy: 1 }]);
    expect(web.requests.filter(({ path }) => path === '/guest.raw').length).toBeLessThanOrEqual(1);
    await server.stop();
  });

  it('are continued after kill -9 of the process that fetched them', async () => {
    const data = join(directory, 'killed');
    const half = Math.floor(guest.length / 2);
    web.files.set('/slow.raw', { content: guest, etag: '"1"', stallAt: half });
    const args = ['image', 'pull', `${web.url}/slow.raw`, '--image-hosts', '127.0.0.1', '--data-dir', data];
    const child = spawn(VIMANA, args, { stdio: 'ignore', detached: true });
    const received = () => {
      const files = spawnSync('find', [data, '-path', '*/partial/*', '-size', '+1M'], { encoding: 'utf8' });
      return files.stdout.trim() !== '';
    };
    await vi.waitUntil(received, WAIT);
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await once(child, 'exit');
    web.files.set('/slow.raw', { content: guest, etag: '"1"' });
    const { stdout } = await promisify(execFile)(VIMANA, args);
    expect(stdout).toContain(sha256(guest));
    const last = web.requests.findLast(({ path }) => path === '/slow.raw');
    expect(Number(last?.range?.match(/\d+/)?.[0])).toBeGreaterThan(2 ** 20);
    expect(readdirSync(join(data, 'images/partial'))).toEqual([]);
    expect(readdirSync(join(data, 'images/sha256'))).toEqual([sha256(guest)]);
  });
});
