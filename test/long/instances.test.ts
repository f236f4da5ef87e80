import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Kubectl } from '../e2e/support/kubectl.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../bin/vimana');
const home = mkdtempSync(join(tmpdir(), 'vimana-instances-'));
const at = (name: string) => join(home, name);
const DEFAULT_DIR = at('.local/share/vimana/up');

function vimana(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const inherited = { PATH: process.env['PATH'], HOME: home };
  const { status, stdout, stderr } = spawnSync(LAUNCHER, args, { encoding: 'utf8', env: { ...inherited, ...env } });
  return { code: status, out: stdout, err: stderr };
}

function ok(...args: string[]): string {
  const outcome = vimana(args);
  expect(outcome, args.join(' ')).toMatchObject({ code: 0 });
  return outcome.out;
}

const start = (...flags: string[]) => ok('up', '--detach', '--port', '0', ...flags);
const running = () => JSON.parse(ok('ls', '-o', 'json')) as { readonly dataDir: string; readonly pid: number }[];

afterAll(() => {
  for (const { dataDir } of running()) vimana(['delete', '--data-dir', dataDir]);
  rmSync(home, { recursive: true, force: true });
});

describe('instances of vimana up', () => {
  const work = 'apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts: []\ncurrent-context: work # mine\n';

  it('run in the background, are found without KUBECONFIG, and are deleted with everything', async () => {
    expect(vimana(['vm', 'list'])).toMatchObject({ code: 1, err: expect.stringContaining('no kubeconfig was found') });
    expect(vimana(['ls'])).toMatchObject({ code: 0, out: '' });
    const said = start();
    expect(said).toContain('It runs in the background (process ');
    expect(said).toContain('10 VMs running');
    expect(said).not.toContain('Ctrl-C');
    expect(ok('vm', 'list').match(/Running/g)).toHaveLength(10);
    const kubectl = new Kubectl(join(DEFAULT_DIR, 'kubeconfig'), home);
    expect((await kubectl.ok('get vm -o name')).match(/kubevirt\.io/g)).toHaveLength(10);
    expect(vimana(['up', '--port', '0'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error: Vimana is already running in .* --port 0 --data-dir DIRECTORY\n$/s),
    });

    mkdirSync(at('.kube'), { recursive: true });
    writeFileSync(at('.kube/config'), work);
    start('--empty', '--nodes', '1', '--data-dir', at('b'), '--merge-kubeconfig');
    expect(running().map(({ dataDir }) => dataDir)).toEqual([DEFAULT_DIR, at('b')].sort());
    const merged = new Kubectl(at('.kube/config'), home);
    expect(await merged.ok('get nodes -o name')).toBe('node/kwok-node-1\n');
    expect(ok('vm', 'list', '-o', 'name')).toBe('');
    await merged.ok('config unset current-context');
    expect(vimana(['vm', 'list'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^error: 2 Vimana instances are running\nChoose one:\n {2}--kubeconfig \S+ {2}# https/,
      ),
    });
    expect(ok('vm', 'list', '--kubeconfig', join(DEFAULT_DIR, 'kubeconfig')).match(/Running/g)).toHaveLength(10);

    const { metrics = '' } = (running() as { dataDir: string; metrics?: string }[])[0] ?? {};
    const taken = vimana(['up', '--port', '0', '--metrics-port', new URL(metrics).port, '--data-dir', at('c')]);
    expect(taken).toMatchObject({ code: 1, err: expect.stringContaining('Vimana is already running at https://') });
    expect(taken.err).toContain('with --port 0, which picks free ports for all listeners');

    expect(ok('delete', '--data-dir', at('b'))).toMatch(
      /^stopped .*\ndeleted .*\/b\nremoved the context vimana-\d+ from /,
    );
    expect(existsSync(at('b'))).toBe(false);
    expect(readFileSync(at('.kube/config'), 'utf8')).not.toContain('vimana');
    writeFileSync(join(DEFAULT_DIR, 'mine.txt'), 'kept');
    expect(ok('delete')).toContain('kept in it, because Vimana did not create them: mine.txt\n');
    expect(running()).toEqual([]);
    expect(vimana(['delete'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no Vimana instance in'),
    });
    rmSync(join(DEFAULT_DIR, 'mine.txt'));
    rmSync(at('.kube'), { recursive: true });
  });

  it('ignore run files of killed processes, whose ID another process may have', async () => {
    start('--empty', '--nodes', '0');
    const pid = running()[0]?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(running()).toEqual([]), { timeout: 60_000, interval: 200 });
    const file = join(DEFAULT_DIR, 'running.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(String(pid), String(process.pid)));
    expect(vimana(['down'])).toMatchObject({ code: 1, err: expect.stringContaining('no vimana up is running') });
    expect(ok('delete')).toBe(`deleted ${DEFAULT_DIR}\n`);
  });

  it('apply flags for nodes, or keep the nodes, and reject --empty if there are VMs', async () => {
    start('--nodes', '3', '--zones', '3');
    const kubectl = new Kubectl(join(DEFAULT_DIR, 'kubeconfig'), home);
    const zones = 'get nodes -o jsonpath={.items[*].metadata.labels.topology\\.kubernetes\\.io/zone}';
    expect(await kubectl.ok(zones)).toBe('zone-1 zone-2 zone-3');
    ok('down');
    expect(start()).toContain('nodes: 3 ready');
    ok('down');
    const rejected = vimana(['up', '--port', '0', '--empty']);
    expect(rejected).toMatchObject({ code: 1, err: expect.stringContaining('has VMs: 10 of kubevirt.io') });
    expect(rejected.err).toContain('vimana delete');
    const fewer = start('--nodes', '2', '--zones', '1');
    expect(fewer).toContain('deleted 1 node of the previous start (kwok-node-3); their VMs restart elsewhere');
    expect(fewer).toContain('nodes: 2 ready');
    expect(await kubectl.ok(zones)).toBe('zone-1 zone-1');
    const nodes = async () => new Set((await kubectl.ok('get vmi -o jsonpath={.items[*].status.nodeName}')).split(' '));
    const isMoved = async () => expect([...(await nodes())].sort()).toEqual(['kwok-node-1', 'kwok-node-2']);
    await vi.waitFor(isMoved, { timeout: 180_000, interval: 1_000 });
    ok('delete');
  });
});

describe('a start that cannot succeed suggests what to do', () => {
  it('if HOME cannot be written', () => {
    for (const detached of [[], ['--detach']]) {
      const { code, err } = vimana(['up', '--port', '0', ...detached], { HOME: '/proc/none' });
      expect(code).toBe(1);
      expect(err).toMatch(/^error: the data directory \/proc\/none\/\S+ cannot be used: .*\n.*--data-dir.*HOME/);
    }
  });

  it('if the disk is full', () => {
    const flags = `up --port 0 --empty --data-dir ${at('full')}`;
    // A limit for the size of files stands for a full disk: both fail in the middle of a write.
    const { status, stderr } = spawnSync('sh', ['-c', `ulimit -f 40; trap '' XFSZ; ${LAUNCHER} ${flags}`], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home },
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /error: the data directory \S+ cannot be written: the maximum file size is reached\..*\n.*--data-dir/,
    );
    expect(stderr).not.toMatch(/internal error|\n {4}at /);
  });

  it('also in the background, with the exit code of the process', () => {
    expect(vimana(['up', '--detach', '--port', '0', '--node-size', 'x', '--data-dir', at('bad')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('these nodes cannot be created'),
    });
  });
});
