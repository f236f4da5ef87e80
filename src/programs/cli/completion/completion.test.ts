import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import type { Client } from '#platform/kube/client';
import { type CommandHarness, runCommand, startCommandHarness } from '#testing/command-harness';
import { waitUntil } from '#testing/wait';

describe('completion', () => {
  let harness: CommandHarness;
  beforeAll(async () => {
    harness = await startCommandHarness();
    for (const name of ['web-1', 'web-2']) {
      await harness.run(['vm', 'create', name, '-g', 'kubevirt.io', '--stopped', '--wait']);
    }
    await harness.run(['vm', 'create', 'flat', '-g', 'hypersdk.io', '--stopped']);
  });
  afterAll(() => harness.stop());

  /** Returns the candidates at the end of a line. Its last word is the one being typed. */
  const offered = async (line: string, shell = 'zsh') => {
    // The clock does not advance, so that no candidate times out.
    const { code, out } = await harness.run(['__complete', shell, '--', ...line.split(' ')], {
      clock: new FakeClock(),
    });
    expect(code).toBe(0);
    return out.split('\n').flatMap((each) => (each === '' ? [] : [each.split('\t')[0]]));
  };

  it.each([
    ['v', ['vm', 'validate', 'version']],
    ['vm st', ['start', 'stop']],
    ['vm -n default st', ['start', 'stop']],
    ['explain ', ['vm', 'pod', 'pool']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['vm list -o ', ['table', 'wide', 'json', 'yaml', 'name']],
    ['vm list --output=y', ['--output=yaml']],
    ['up --log-level ', ['debug', 'info', 'warn', 'error', 'silent']],
    ['up --dialects kubevirt,', ['kubevirt,hypersdk', 'kubevirt,novacron', 'kubevirt,simulation']],
    ['up --dialects=no', ['--dialects=novacron']],
    ['apiserver --store ', ['memory', 'lmdb']],
    ['crds -g k', ['kubevirt.io']],
    ['up --node-l', ['--node-labels', '--node-lost-after']],
    ['vm list --watch --w', []],
    ['vm start --contex', ['--context']],
    ['up --data-dir ', [':folders']],
    ['up --kubeconfig-out ', [':files']],
    ['validate examples/', [':files']],
    ['vm create -f ', [':files']],
    ['up --nodes ', []],
  ])('knows the commands, flags and values of "%s"', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  it.each([
    ['vm start ', ['web-1', 'web-2', 'flat']],
    ['explain vm ', ['web-1', 'web-2', 'flat']],
    ['vm get web-1 ', ['web-2', 'flat']],
    ['vm start -g hypersdk.io ', ['flat']],
    ['vm delete --group=kubevirt.io -- w', ['web-1', 'web-2']],
    ['vm start -n kube-system ', []],
    ['vm create ', []],
    ['vm list -n vim', ['vimana-system']],
    ['vm list -nd', []],
    ['vm list --namespace=vim', ['--namespace=vimana-system']],
    ['vm list --context ', ['laptop', 'office']],
    ['explain pod --user o', ['office']],
  ])('knows the names in cluster and kubeconfig: "%s"', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  it('describes each candidate', async () => {
    const { out } = await harness.run(['__complete', 'fish', '--', 'vm', 'sto']);
    expect(out).toBe('stop\tstop VMs gracefully\n');
    expect(
      (await harness.run(['__complete', 'fish', '--', 'vm', 'start', 'web-1'], { clock: new FakeClock() })).out,
    ).toBe('web-1\tStopped\n');
  });

  it('completes only the part after an equals sign for bash', async () => {
    expect(await offered('vm list --output = w', 'bash')).toEqual(['wide']);
    expect(await offered('vm list --output =', 'bash')).toEqual(['table', 'wide', 'json', 'yaml', 'name']);
  });

  it('offers nothing, quickly and silently, if the cluster does not respond', async () => {
    const never = new Proxy({} as Client, { get: () => () => new Promise(() => {}) });
    const broken = new Proxy({} as Client, { get: () => () => Promise.reject(new Error('no')) });
    const clock = new FakeClock();
    const complete = (client: Client) => runCommand(client, ['__complete', 'bash', '--', 'vm', 'start', ''], { clock });
    expect(await complete(broken)).toEqual({ code: 0, out: '', err: '' });
    const completing = complete(never);
    await waitUntil(() => clock.pending === 1);
    await clock.advance(2000);
    expect(await completing).toEqual({ code: 0, out: '', err: '' });
  });
});
