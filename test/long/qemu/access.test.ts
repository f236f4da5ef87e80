import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasKubectl, hasPrograms, hasQemu } from '#testing/programs';
import { built, hasGo } from '../../cluster/build.ts';
import { type RunningServer, startUp, vimana } from '../../e2e/support/vimana.ts';
import { VIRTCTL_COMMANDS } from './virtctl-commands.ts';

const WAIT = { timeout: 120_000, interval: 500 };
const ESCAPE = '\u001D';
let server: RunningServer;
let virtctl = '';

const isPossible = hasQemu() && hasKubectl() && hasPrograms('connections to real VMs', 'ssh', 'scp', 'script');
const env = () => ({ PATH: process.env['PATH'], HOME: server.folder, KUBECONFIG: server.kubeconfig });

interface Ran {
  readonly status: number | null;
  readonly out: string;
}

/** Runs a program with input, and returns all that it printed. */
function run(program: string, args: readonly string[], input = ''): Ran {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: env(), input, timeout: 90_000 });
  return { status, out: `${stdout}${stderr}` };
}

/** Runs a program that stays, until what it prints matches, and passes that on. */
async function during(
  program: string,
  args: readonly string[],
  isReady: RegExp,
  act: (match: RegExpExecArray, said: () => string, type: (text: string) => void) => Promise<void>,
): Promise<void> {
  const child = spawn(program, args, { env: env() });
  let said = '';
  const hear = (chunk: Buffer) => void (said += chunk.toString());
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  child.stdin.on('error', () => undefined);
  try {
    await vi.waitUntil(() => isReady.test(said), WAIT);
    const match = isReady.exec(said) as RegExpExecArray;
    await act(
      match,
      () => said,
      (text) => void child.stdin.write(text),
    );
  } finally {
    child.kill('SIGKILL');
  }
}

/** Returns what a server on a local port sends first, after an optional request. */
async function firstBytes(port: number, request = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  const [data] = (await socket.take(1).toArray()) as Buffer[];
  socket.destroy();
  return String(data);
}

const launcher = () =>
  run('kubectl', ['get', 'pods', '-o', 'name'])
    .out.split('\n')
    .find((name) => name.includes('virt-launcher-guest-1-')) ?? '';
const vmi = (name: string, path: string) => run('kubectl', ['get', 'vmi', name, '-o', `jsonpath=${path}`]).out;
const hasCondition = (name: string, type: string) =>
  vmi(name, `{.status.conditions[?(@.type=="${type}")].status}`) === 'True';

describe.skipIf(!isPossible)('the guest of a real VM', () => {
  beforeAll(async () => {
    server = await startUp(['--runtime', 'qemu', '--dialects', 'kubevirt']);
    if (hasGo()) virtctl = await built('virtctl');
    await vi.waitUntil(() => hasCondition('guest-1', 'AgentConnected'), { ...WAIT, timeout: 300_000 });
    const key = join(server.folder, 'key');
    run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const script = `mkdir -p /root/.ssh; cat >/root/.ssh/authorized_keys; chmod -R go= /root/.ssh`;
    const args = ['exec', '-i', launcher(), '--', 'sh', '-c', script];
    expect(run('kubectl', args, readFileSync(`${key}.pub`, 'utf8'))).toMatchObject({ status: 0 });
  }, 900_000);
  afterAll(async () => await server?.stop());

  it('reports its system through the guest agent', () => {
    expect(vmi('guest-1', '{.status.guestOSInfo.id}')).toBe('vimana-demo');
    expect(vmi('guest-1', '{.status.interfaces[0].interfaceName}')).toBe('eth0');
  });

  it('is reached by kubectl: logs, attach, exec and port-forward', async () => {
    const pod = launcher();
    expect(run('kubectl', ['logs', pod]).out).toContain('Hello from guest-1');
    expect(run('kubectl', ['exec', pod, '--', 'hostname'])).toEqual({ status: 0, out: 'guest-1\n' });
    expect(run('kubectl', ['exec', pod, '--', 'sh', '-c', 'exit 7']).status).toBe(7);
    expect(run('kubectl', ['exec', '-i', pod, '--', 'cat'], 'typed').out).toBe('typed');
    await during('kubectl', ['attach', '-i', pod], /#/, async (_match, said, type) => {
      type('echo sum $((40+2))\n');
      await vi.waitUntil(() => said().includes('sum 42'), WAIT);
    });
    await during('kubectl', ['port-forward', pod, ':80'], /127.0.0.1:(\d+) -> 80/, async ([, port]) => {
      expect(await firstBytes(Number(port), 'GET / HTTP/1.0\r\n\r\n')).toContain('200 OK');
    });
  });

  it('is reached by vimana: console, exec, logs, screenshot, vnc, port-forward, ssh and scp', async () => {
    const cli = (...args: string[]) => vimana(server, 'vm', ...args);
    const launch = (...args: string[]) => ['bin/vimana', ['vm', ...args]] as const;
    await during(...launch('console', 'guest-1'), /#/, async (_match, said, type) => {
      type('echo product $((6*7))\n');
      await vi.waitUntil(() => said().includes('product 42'), WAIT);
      type(ESCAPE);
      await vi.waitUntil(() => said().includes('Disconnected'), WAIT);
    });
    expect(cli('exec', 'guest-1', '--', 'hostname').stdout).toBe('guest-1\n');
    expect(cli('logs', 'guest-1', '--tail', '5').stdout).toContain('product 42');
    const picture = join(server.folder, 'guest.png');
    expect(cli('screenshot', 'guest-1', '--file', picture).stdout).toBe(`${picture}\n`);
    expect(readFileSync(picture).subarray(1, 4).toString()).toBe('PNG');
    await during(...launch('vnc', 'guest-1', '--proxy-only'), /127.0.0.1:(\d+) \(VNC\)/, async ([, port]) => {
      expect(await firstBytes(Number(port))).toMatch(/^RFB 003/);
    });
    await during(...launch('port-forward', 'guest-1', ':80'), /127.0.0.1:(\d+) -> 80/, async ([, port]) => {
      expect(await firstBytes(Number(port), 'GET / HTTP/1.0\r\n\r\n')).toContain('200 OK');
    });
    const ssh = ['-i', join(server.folder, 'key'), '--known-hosts', join(server.folder, 'known')];
    writeFileSync(join(server.folder, 'file'), 'copied\n');
    // The first connection learns the key of the guest, which nobody could confirm otherwise.
    const host = cli('exec', 'guest-1', '--', 'sh', '-c', 'dropbearkey -y -f /run/host-key | grep ^ssh').stdout.trim();
    writeFileSync(join(server.folder, 'known'), `vm.guest-1.default ${host}\n`);
    const copied = cli('scp', ...ssh, join(server.folder, 'file'), 'guest-1:/tmp/file');
    expect(copied, copied.stderr).toMatchObject({ status: 0 });
    expect(cli('ssh', ...ssh, 'guest-1', '--', 'cat', '/tmp/file').stdout).toBe('copied\n');
    expect(cli('ssh', ...ssh, 'guest-1', '--', 'exit', '9').status).toBe(9);
  });

  it.skipIf(!hasGo())(
    'is reached by virtctl: console, vnc, ssh, port-forward, and what its agent reports',
    async () => {
      // virtctl's console needs a terminal.
      await during(
        'script',
        ['-qec', `${virtctl} console guest-1`, '/dev/null'],
        /Successfully connected/,
        async (_match, said, type) => {
          type('echo difference $((50-8))\n');
          await vi.waitUntil(() => said().includes('difference 42'), WAIT);
        },
      );
      await during(virtctl, ['vnc', 'guest-1', '--proxy-only'], /"port":(\d+)/, async ([, port]) => {
        expect(await firstBytes(Number(port))).toMatch(/^RFB 003/);
      });
      await during(virtctl, ['port-forward', 'vmi/guest-1', '38080:80'], /forwarding tcp/, async () => {
        await vi.waitUntil(
          async () => (await firstBytes(38_080, 'GET / HTTP/1.0\r\n\r\n').catch(() => '')).includes('200 OK'),
          WAIT,
        );
      });
      const identity = [
        '--identity-file',
        join(server.folder, 'key'),
        '--known-hosts',
        join(server.folder, 'virtctl-known'),
      ];
      const options = ['--local-ssh-opts', '-o StrictHostKeyChecking=no', '-c', 'hostname'];
      expect(run(virtctl, ['ssh', 'root@vmi/guest-1', ...identity, ...options]).out).toContain('guest-1\n');
      expect(run(virtctl, ['guestosinfo', 'guest-1']).out).toContain('vimana-demo');
      expect(run(virtctl, ['fslist', 'guest-1']).out).toContain('"mountPoint": "/seed"');
      expect(run(virtctl, ['userlist', 'guest-1']).out).toContain('"items"');
    },
  );

  it.skipIf(!hasGo())(
    'is stopped, started and paused by virtctl, and every other command works or says what is missing',
    async () => {
      const help = run(virtctl, ['--help']).out;
      const commands = [...help.matchAll(/^ {2}([a-z-]+) +\S/gm)].map(([, name = '']) => name);
      expect(new Set(commands)).toEqual(new Set(Object.keys(VIRTCTL_COMMANDS)));
      expect(run(virtctl, ['pause', 'vm', 'guest-2']).out).toContain('scheduled to pause');
      await vi.waitUntil(() => hasCondition('guest-2', 'Paused'), WAIT);
      expect(run(virtctl, ['unpause', 'vm', 'guest-2']).out).toContain('scheduled to unpause');
      await vi.waitUntil(() => !hasCondition('guest-2', 'Paused'), WAIT);
      expect(run(virtctl, ['stop', 'guest-2']).out).toContain('scheduled to stop');
      await vi.waitUntil(() => vmi('guest-2', '{.status.phase}').includes('NotFound'), WAIT);
      expect(run(virtctl, ['start', 'guest-2']).out).toContain('scheduled to start');
      await vi.waitUntil(() => vmi('guest-2', '{.status.phase}') === 'Running', WAIT);
      for (const [name, cases] of Object.entries(VIRTCTL_COMMANDS)) {
        for (const [args, expected] of cases) {
          expect(run(virtctl, [name, ...args]).out, `virtctl ${name} ${args.join(' ')}`).toMatch(expected);
        }
      }
    },
  );
});
