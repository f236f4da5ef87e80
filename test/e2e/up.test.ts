import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { hasKubectl, Kubectl } from './support/kubectl.ts';
import { type RunningServer, startUp, vimana } from './support/vimana.ts';
import { words } from './support/words.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../bin/vimana');
const TIMEOUT = { timeout: 60_000, interval: 50 };

describe.skipIf(!hasKubectl())('the process of vimana up', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-up-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('starts a demo fleet, is found by status, rejects a second one, and keeps everything after kill -9', async () => {
    const first = await startUp([], folder);
    const kubectl = new Kubectl(first.kubeconfig, folder);
    expect(first.said()).toContain('10 VMs running');
    const list = async () =>
      (await kubectl.run(words('get vmi -o custom-columns=:.metadata.name,:.metadata.uid,:.status.phase'))).out;
    const before = await list();
    expect(before.match(/Running/g)).toHaveLength(10);
    const data = join(folder, 'data');
    expect(vimana(first, 'status', '--data-dir', data).stdout).toContain('5 of 5 ready');
    expect(vimana(first, 'up', '--port', '0', '--data-dir', data)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^error: Vimana is already running in .* at https:.*\n(?:.*\n)*Start another beside it: vimana up --port 0 /,
      ),
    });
    process.kill(first.pid, 'SIGKILL');
    const again = await startUp([], folder);
    await vi.waitFor(async () => expect(await list()).toBe(before), TIMEOUT);
    expect(vimana(again, 'down', '--data-dir', data)).toMatchObject({ status: 0 });
    expect(vimana(again, 'status', '--data-dir', data)).toMatchObject({ status: 1 });
  });

  it('stores nothing if it is ephemeral, and several can run side by side', async () => {
    const servers = await Promise.all(
      [0, 1].map(() => startUp(['--ephemeral', '--dialects', 'novacron', '--nodes', '1'], folder, 'no folder')),
    );
    const [first, second] = servers.map((server) => /bin\/vimana down( --data-dir ([^\s;]+))?;/.exec(server.said()));
    // One of the two has the default data directory, the other its own.
    const named = [first?.[2], second?.[2]].filter((path) => path !== undefined);
    expect(named).toHaveLength(1);
    const own = named[0] ?? '';
    const server = servers[0] as RunningServer;
    const usual = join(folder, '.local/share/vimana/up');
    // Both in one KUBECONFIG are two contexts, each of which reaches its own.
    const both = new Kubectl([usual, own].map((path) => join(path, 'kubeconfig')).join(':'), folder);
    const [context = '', other = ''] = (await both.run(words('config get-contexts -o name'))).out.trim().split('\n');
    expect([context, other]).toEqual(['vimana', expect.stringMatching(/^vimana-\d+$/)]);
    const urls = [context, other].map(async (name) => {
      expect(await both.run(words(`get nodes --context ${name}`))).toMatchObject({ code: 0 });
      return (await both.run(words(`config view --minify --context ${name} -o jsonpath={.clusters[*].cluster.server}`)))
        .out;
    });
    expect((await Promise.all(urls)).sort()).toEqual(servers.map(({ url }) => url).sort());
    expect(vimana(server, 'status').stdout).toContain('VMs:         none');
    expect(vimana(server, 'down')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('its objects were not stored'),
    });
    expect(vimana(server, 'down', '--data-dir', own)).toMatchObject({ status: 0 });
    expect(existsSync(own)).toBe(false);
    expect(readdirSync(usual).sort()).toEqual(['folder.lock', 'kubeconfig', 'pki']);
  });

  it('reports which port is in use, and leaves nothing behind', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const port = String((holder.address() as AddressInfo).port);
    const other = join(folder, 'other');
    const flags = ['--port', port, '--metrics-port', '0', '--health-port', '0', '--data-dir', other];
    const outcome = spawnSync(LAUNCHER, ['up', ...flags], { encoding: 'utf8' });
    expect(outcome).toMatchObject({ status: 1, stderr: expect.stringContaining(`port ${port} is already in use`) });
    holder.close();
  });
});

it('reports that nothing runs, and exits as interrupted, if it is stopped during startup', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-up-'));
  // So many nodes that it still starts though the signal comes late.
  const args = ['up', '--port', '0', '--data-dir', folder, '--nodes', '2000'];
  const child = spawn(LAUNCHER, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    if (out === '') child.kill('SIGINT');
    out += chunk.toString();
  });
  expect(await once(child, 'close')).toEqual([130, null]);
  expect(out).toMatch(/^Vimana is starting\n( {2}✓ .*\n)* {2}✗ .*\n$/);
  expect(err).toMatch(/^Stopped before it was ready: nothing is running\. /);
  rmSync(folder, { recursive: true });
});
