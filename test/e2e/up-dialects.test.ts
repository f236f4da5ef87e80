import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { hasKubectl, Kubectl } from './support/kubectl.ts';
import { type RunningServer, startUp } from './support/vimana.ts';
import { words } from './support/words.ts';

describe.skipIf(!hasKubectl())('vimana up on a data directory with other groups', () => {
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

  it('assigns vm and categories to exactly one group, and says when vm changes its meaning', async () => {
    const meaning = async (ok: (line: string) => Promise<string>) =>
      (await ok('get crd -o jsonpath={range.items[?(@.status.acceptedNames.shortNames[0]=="vm")]}{.spec.group},{end}'))
        .split(',')
        .filter((group) => group !== '');

    const all = await start('--empty', '--nodes', '0');
    expect(all.said()).not.toContain('vm now means');
    await all.ok('apply -f examples/novacron/vm-minimal.yaml -f examples/novacron/pool.yaml');
    await all.ok('apply -f examples/hypersdk/vm-from-image.yaml -f examples/kubevirt/vm-running.yaml');
    expect(await meaning(all.ok)).toEqual(['kubevirt.io']);
    // The full name means the same group, and neither is ambiguous.
    for (const name of ['vm', 'vms', 'virtualmachine', 'virtualmachines']) {
      const { code, out, err } = await kubectl().run(['get', name, '-o', 'name']);
      expect({ code, out, err }, name).toEqual({
        code: 0,
        out: expect.stringMatching(/^virtualmachine\.kubevirt\.io\/\S+\n$/),
        err: '',
      });
    }

    for (const [flags, group] of [
      [['--dialects', 'novacron'], 'novacron.io'],
      [['--vm-short-name', 'hypersdk.io'], 'hypersdk.io'],
    ] as const) {
      const one = await start('--nodes', '0', ...flags);
      expect(one.said()).toContain(`vm now means VMs of ${group}, no longer of `);
      expect(await meaning(one.ok)).toEqual([group]);
      expect(await one.ok('get vm -o name')).toMatch(new RegExp(`^(?:virtualmachine\\.${group}/\\S+\\n)+$`));
      // A name that is not ambiguous stays.
      expect(await one.ok('get vmpool -o name')).toMatch(/^vmpool\.novacron\.io\/\S+\n$/);
    }
    const one = await start('--nodes', '0', '--dialects', 'novacron');
    const same = await start('--nodes', '0', '--dialects', 'novacron');
    expect(one.said() + same.said()).toMatch(/^(?:(?!vm now means)[^])*vm now means(?:(?!vm now means)[^])*$/);
    expect(await same.ok('get vimana -o name')).not.toContain('hypersdk.io/');
    // A pool would replace its VMs.
    await same.ok('delete vmpools.novacron.io --all --timeout=60s');
    for (const group of ['hypersdk.io', 'novacron.io', 'kubevirt.io']) {
      await same.ok(`delete virtualmachines.${group} --all --timeout=60s`);
    }
  });

  it('manages VMs of groups that are not selected, reports that, and stops when none is left', async () => {
    const flags = ['--nodes', '2', '--dialects'];
    const both = await start('--demo', ...flags, 'kubevirt,simulation');
    expect(both.said()).not.toContain('also managing');
    const { ok, said } = await start(...flags, 'simulation');
    expect(said()).toContain('also managing 10 existing VMs of kubevirt.io\n');
    expect(await ok('get vm -o name')).toBe('');

    await ok('patch virtualmachines.kubevirt.io web-2 --type=merge -p {"spec":{"runStrategy":"Halted"}}');
    const isStopped = '--for=jsonpath={.status.printableStatus}=Stopped';
    await ok(`wait virtualmachines.kubevirt.io web-2 ${isStopped} --timeout=60s`);
    await ok('delete virtualmachines.kubevirt.io web-1 --timeout=60s');
    expect((await ok('get vmi -o name')).match(/\n/g)).toHaveLength(8);
    const fresh = words('create -f examples/kubevirt/vm-running.yaml');
    expect(await kubectl().run(fresh)).toMatchObject({ code: 0, err: '' });
    await ok('delete virtualmachines.kubevirt.io --all --timeout=60s');

    const none = await start(...flags, 'simulation');
    expect(none.said()).not.toContain('also managing');
    expect((await none.ok('apply -f examples/simulation/vms/')).match(/ created\n/g)).toHaveLength(7);
    await none.ok('wait vm --all --for=jsonpath={.status.phase}=Running --timeout=60s');
    expect(await kubectl().run(fresh)).toMatchObject({ code: 0, err: expect.stringContaining('nothing acts on it') });
    await none.ok('delete virtualmachines.kubevirt.io --all --timeout=60s');
  });
});
