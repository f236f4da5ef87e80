import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasKubectl, hasQemu } from '#testing/programs';
import { Kubectl } from '../../e2e/support/kubectl.ts';
import { type RunningServer, startUp, vimana } from '../../e2e/support/vimana.ts';

const WAIT = { timeout: 600_000, interval: 200 };
const EXAMPLE = 'examples/kubevirt/vm-real.yaml';
const SECRET = 's3cret-for-the-guest';
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHRoaXMgaXMgbm90IGEgcmVhbCBrZXkgYXQgYWxsISE';
const USER_DATA = `#!/bin/sh
echo "applied ${SECRET} on $(hostname)"
echo "$(wc -l </root/.ssh/authorized_keys) key: $(cut -c 1-30 /root/.ssh/authorized_keys)"
`;

describe.skipIf(!hasQemu() || !hasKubectl())('the first boot of a real VM', () => {
  let server: RunningServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startUp(['--runtime', 'qemu', '--dialects', 'kubevirt', '--empty']);
    kubectl = new Kubectl(server.kubeconfig, server.folder);
    const built = vimana(server, 'image', 'build', '--data-dir', join(server.folder, 'data'));
    expect(built.stderr + built.stdout).toContain('Built vimana.local/demo-guest');
  }, 600_000);
  afterAll(async () => await server.stop());

  const machines = () => join(server.folder, 'data', 'machines', 'qemu-node-1');
  const events = () => kubectl.ok('get events -o jsonpath={.items[*].message}');

  it('waits for Secrets by name, applies them, and records them nowhere', async () => {
    await kubectl.ok(['apply', '-f', EXAMPLE]);
    const missing = [
      'Secret "default/web-user-data" not found (volume seed: cloudInitNoCloud.secretRef)',
      'Secret "default/web-keys" not found (accessCredentials[0].sshPublicKey)',
    ];
    await vi.waitUntil(async () => (await events()).includes(missing.join('; ')), WAIT);
    await kubectl.ok(['create', 'secret', 'generic', 'web-keys', `--from-literal=me=${KEY}`]);
    await vi.waitUntil(
      async () => (await events()).replaceAll(missing.join('; '), '').includes(missing[0] ?? ''),
      WAIT,
    );
    expect(readdirSync(machines())).toEqual([]);
    await kubectl.ok(['create', 'secret', 'generic', 'web-user-data', `--from-literal=userdata=${USER_DATA}`]);
    await kubectl.ok('wait vmi/web --for=jsonpath={.status.phase}=Running --timeout=300s');
    const [id = ''] = readdirSync(machines());
    const directory = join(machines(), id);
    const serialLog = () => readFileSync(join(directory, 'serial.log'), 'utf8');
    await vi.waitUntil(() => serialLog().includes(`applied ${SECRET} on web`), WAIT);
    await vi.waitUntil(() => serialLog().includes(`1 key: ${KEY.slice(0, 30)}`), WAIT);

    for (const name of ['machine.json', 'qemu.log']) {
      expect(readFileSync(join(directory, name), 'utf8'), name).not.toContain(SECRET);
    }
    const qemu = readFileSync(join(directory, 'qemu.pid'), 'utf8').trim();
    expect(readFileSync(`/proc/${qemu}/cmdline`, 'utf8')).toContain('seed1.iso');
    expect(readFileSync(`/proc/${qemu}/cmdline`, 'utf8')).not.toContain(SECRET);
    expect(statSync(join(directory, 'seed1.iso')).mode & 0o077).toBe(0);
    expect(await events()).not.toContain(SECRET);
    const pods = await kubectl.ok('get pods,vmi -o yaml');
    expect(pods).not.toContain(SECRET);
    expect(pods).not.toContain(Buffer.from(USER_DATA).toString('base64'));

    await kubectl.ok('delete vm web --timeout=120s');
    await vi.waitUntil(() => readdirSync(machines()).length === 0, WAIT);
  });
});
