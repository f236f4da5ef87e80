import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { freePorts } from '../cluster/ports.ts';
import { hasKubectl, Kubectl } from '../e2e/support/kubectl.ts';
import { type RunningServer, startUp } from '../e2e/support/vimana.ts';
import { words } from '../e2e/support/words.ts';

describe.skipIf(!hasKubectl())('the short name vm', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-up-'));
  let server: RunningServer | undefined;
  const stop = async () => {
    await server?.stop();
    server = undefined;
  };
  afterEach(stop);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const kubectl = () => new Kubectl(server?.kubeconfig ?? '', folder);

  /** Restarts in the same directory, and returns a kubectl that must succeed. */
  async function start(...flags: string[]) {
    await stop();
    const started = await startUp(flags, folder);
    server = started;
    const ok = async (line: string) => {
      const outcome = await kubectl().run(words(line));
      expect(outcome, line).toMatchObject({ code: 0 });
      return outcome.out;
    };
    return { ok, said: started.said };
  }

  it('gives kubectl the right answer although it has cached another one, or reports a remedy once', async () => {
    const [port] = await freePorts(1);
    const listeners = ['--port', String(port), '--metrics-port', '0', '--health-port', '0', '--exporter-port', '0'];
    const flags = ['--nodes', '0', ...listeners];
    const before = await start('--vm-short-name', 'hypersdk.io', ...flags);
    await before.ok('create -f examples/kubevirt/vm-stopped.yaml');
    expect(await before.ok('get vm -o name')).toBe('');
    const elsewhere = join(folder, 'elsewhere');
    const onOtherHost = () => kubectl().run(words('get vm -o name'), '', { HOME: elsewhere });
    expect(await onOtherHost()).toMatchObject({ code: 0, out: '' });

    const after = await start(...flags);
    expect(await after.ok('get vm -o name')).toMatch(/^virtualmachine\.kubevirt\.io\/\S+\n$/);
    const advice = { code: 0, out: '', err: expect.stringContaining('run kubectl api-resources once') };
    expect(await onOtherHost()).toEqual(advice);
    expect(await onOtherHost()).toEqual({ ...advice, err: '' });
    await kubectl().run(['api-resources'], '', { HOME: elsewhere });
    expect((await onOtherHost()).out).toMatch(/^virtualmachine\.kubevirt\.io\/\S+\n$/);
    await after.ok('delete vm --all --timeout=60s');
  });

  it('is also reported by a server with a new data directory at the same address', async () => {
    const [port] = await freePorts(1);
    const listeners = ['--port', String(port), '--metrics-port', '0', '--health-port', '0', '--exporter-port', '0'];
    const flags = ['--nodes', '0', '--empty', ...listeners];
    const elsewhere = join(folder, 'stale');
    const get = () => kubectl().run(words('get vm -o name'), '', { HOME: elsewhere });
    await stop();
    server = await startUp(flags, join(folder, 'first'));
    expect(await get()).toEqual({ code: 0, out: '', err: '' });
    await stop();
    server = await startUp([...flags, '--vm-short-name', 'hypersdk.io'], join(folder, 'second'));
    expect((await get()).err).toContain('vm now means virtualmachines.hypersdk.io');
    expect((await get()).err).toBe('');
  });
});
