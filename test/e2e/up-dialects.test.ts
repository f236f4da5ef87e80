import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { hasKubectl, Kubectl } from './support/kubectl.ts';
import { type RunningServer, startUp } from './support/vimana.ts';
import { words } from './support/words.ts';

describe.skipIf(!hasKubectl())('vimana up on a data folder that knew other groups', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vimana-up-'));
  let server: RunningServer | undefined;
  const stop = async () => {
    await server?.stop();
    server = undefined;
  };
  afterEach(stop);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts anew in the same folder, and gives a kubectl that has to succeed. */
  async function start(...flags: string[]) {
    await stop();
    const started = await startUp(flags, folder);
    server = started;
    const kubectl = new Kubectl(started.kubeconfig, folder);
    const ok = async (line: string) => {
      const outcome = await kubectl.run(words(line));
      expect(outcome, line).toMatchObject({ code: 0 });
      return outcome.out;
    };
    return { ok, said: started.said };
  }

  it('lets short names and categories mean the chosen groups, and gives them back to those chosen again', async () => {
    const shortNames = (crd: string) =>
      `get crd ${crd} -o jsonpath={.spec.names.shortNames}{.status.acceptedNames.shortNames}`;

    const all = await start('--empty', '--nodes', '0');
    expect(all.said()).not.toContain('kubectl api-resources');
    await all.ok('apply -f examples/novacron/vm-minimal.yaml -f examples/novacron/pool.yaml');
    await all.ok('apply -f examples/hypersdk/vm-from-image.yaml');

    for (const [dialect, group] of [
      ['novacron', 'novacron.io'],
      ['hypersdk', 'hypersdk.io'],
    ] as const) {
      const one = await start('--empty', '--nodes', '0', '--dialects', dialect);
      // kubectl remembers what it has read of a server, and is told to look again.
      expect(one.said()).toContain('kubectl api-resources');
      expect(await one.ok('get vm -o name')).toMatch(new RegExp(`^virtualmachine\\.${group}/\\S+\\n$`));
      expect(await one.ok('get vimana -o name')).not.toContain(dialect === 'novacron' ? 'hypersdk' : 'novacron');
      // What nobody else is called stays.
      expect(await one.ok('get vmpool -o name')).toMatch(/^vmpool\.novacron\.io\/\S+\n$/);
    }

    const again = await start('--empty', '--nodes', '0');
    for (const group of ['kubevirt.io', 'hypersdk.io', 'novacron.io', 'simulation.node-classifier.io']) {
      expect(await again.ok(shortNames(`virtualmachines.${group}`)), group).toBe('["vm","vms"]["vm","vms"]');
    }
  }, 90_000);
});
