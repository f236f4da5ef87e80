import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VMS } from '#api/kubevirt/resources';
import { FakeClock } from '#platform/base/fake-clock';
import { NODES } from '#platform/kube/kinds/node';
import { type CommandHarness, startCommandHarness } from '#testing/command-harness';
import { terminal } from '../terminal.ts';

const KUBEVIRT = ['--group', 'kubevirt.io'];
const manifest = (name: string) => `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: ${name}}
spec: {runStrategy: Halted, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}
`;

describe('vimana vm', () => {
  let harness: CommandHarness;
  const vm = (...args: string[]) => harness.run(['vm', ...args]);
  const create = (name: string, ...more: string[]) => vm('create', name, ...KUBEVIRT, ...more);

  beforeAll(async () => {
    harness = await startCommandHarness();
  });
  afterAll(() => harness.stop());

  it('deletes existing VMs, and reports missing ones', async () => {
    for (const name of ['a', 'b']) expect(await create(name, '--stopped')).toMatchObject({ code: 0 });
    expect(await vm('delete', 'a', 'nobody', 'b', 'b', '--wait')).toEqual({
      code: 1,
      out: [
        'virtualmachine.kubevirt.io/a deleted\n',
        'virtualmachine.kubevirt.io/b deleted\n',
        'a is deleted\nb is deleted\n',
      ].join(''),
      err: expect.stringMatching(/^error: VirtualMachine "default\/nobody" not found\n/),
    });
    expect((await vm('list')).err).toBe('No VMs found in namespace default.\n');
  });

  it('creates the valid ones of several manifests', async () => {
    await create('there', '--stopped');
    const files = { 'all.yaml': ['one', 'there', 'two'].map(manifest).join('---') };
    const outcome = await harness.run(['vm', 'create', '-f', 'all.yaml', '--wait'], { files });
    expect(outcome).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^(virtualmachine.kubevirt.io\/(one|two) created\n){2}((one|two) is Stopped\n){2}$/),
      err: expect.stringContaining('error from the server (AlreadyExists): virtualmachines.kubevirt.io "there"'),
    });
    expect(await vm('delete', 'vm/one', 'virtualmachine.kubevirt.io/two', 'there')).toMatchObject({ code: 0, err: '' });
  });

  it('reports which file cannot be read', async () => {
    const io = {
      read: (path: string) => terminal.read(path),
      manifestsAt: (path: string) => terminal.manifestsAt(path),
    };
    for (const [file, reason] of [
      ['missing.yaml', /^error: cannot read missing\.yaml: no such file/],
      ['bin/vimana/below.yaml', /^error: cannot read bin\/vimana\/below\.yaml: not a directory/],
    ] as const) {
      const outcome = await harness.run(['vm', 'create', '-f', file], { io });
      expect(outcome).toMatchObject({ code: 1, out: '', err: expect.stringMatching(reason) });
    }
  });

  it('reports the final state of a VM that it waited for', async () => {
    expect((await create('web', '--wait')).out).toMatch(/created\nweb is Running\n$/);
    const cases = [
      ['pause', /^web: pause requested\nweb is Paused\n$/],
      ['unpause', /^web: unpause requested\nweb is Running\n$/],
      ['restart', /^web: restart requested\nweb is Running\n$/],
      ['migrate', /^web: migration requested\nweb is Running on kwok-node-\d\n$/],
      ['stop', /^web: stop requested\nweb is Stopped\n$/],
      ['start', /^web: start requested\nweb is Running\n$/],
    ] as const;
    for (const [verb, said] of cases) {
      expect(await vm(verb, 'web', '--wait'), verb).toMatchObject({ code: 0, out: expect.stringMatching(said) });
    }
  });

  it('migrates a VM to the given node', async () => {
    const nodeOf = async () => (await vm('get', 'web', '-o', 'wide')).out.match(/kwok-node-\d/)?.[0] ?? '';
    const target = (await nodeOf()) === 'kwok-node-1' ? 'kwok-node-2' : 'kwok-node-1';
    const { code, out } = await vm('migrate', 'web', '--target-node', target, '--wait');
    expect([code, out]).toEqual([0, `web: migration requested\nweb is Running on ${target}\n`]);
    expect(await nodeOf()).toBe(target);
  });

  it('acts on many VMs, even if one of them fails', async () => {
    await create('idle', '--stopped', '--wait');
    expect(await vm('pause', 'idle', 'web', 'nobody', '--wait')).toMatchObject({
      code: 1,
      out: 'web: pause requested\nweb is Paused\n',
      err: expect.stringMatching(/idle is not running[^]*VirtualMachine "default\/nobody" not found/),
    });
    await vm('unpause', 'web', '--wait');
    await vm('delete', 'idle', '--wait');
  });

  it('does not report a VM as paused while its node is frozen', async () => {
    const { items } = await harness.admin.list(NODES);
    const freeze = (value: string | null) =>
      Promise.all(
        items.map(({ metadata }) =>
          harness.admin.patch(NODES, metadata.name ?? '', {
            type: 'merge',
            body: { metadata: { annotations: { 'vimana.io/freeze': value } } },
          }),
        ),
      );
    await freeze('true');
    const clock = new FakeClock();
    const seen = Promise.withResolvers<void>();
    const onError = (err: string) => (err.includes('web: Running') ? seen.resolve() : undefined);
    const pausing = harness.run(['vm', 'pause', 'web', '--wait', '--timeout', '5m'], { clock, onError });
    await seen.promise;
    await clock.advance(300_000);
    expect(await pausing).toEqual({
      code: 1,
      out: 'web: pause requested\n',
      err: expect.stringContaining('error: timed out after 5m waiting for web to be paused, which is Running\n'),
    });
    await freeze(null);
    await expect
      .poll(async () => (await harness.admin.get(VMS, 'web', { namespace: 'default' })).status)
      .toMatchObject({
        printableStatus: 'Paused',
      });
    await vm('unpause', 'web', '--wait');
  });

  it('shows managedFields only on request', async () => {
    for (const format of ['yaml', 'json']) {
      for (const command of [['get', 'web'], ['list']]) {
        expect((await vm(...command, '-o', format)).out, format).not.toContain('managedFields');
        expect((await vm(...command, '-o', format, '--show-managed-fields')).out).toContain('managedFields');
      }
    }
  });

  it('shows several VMs, and reports missing ones', async () => {
    expect(await vm('get', 'web', 'nobody', '-o', 'name')).toMatchObject({
      code: 1,
      out: 'virtualmachine.kubevirt.io/web\n',
      err: expect.stringContaining('"default/nobody" not found'),
    });
  });

  describe('with --watch', () => {
    const following = async (args: readonly string[], until: (out: string) => boolean, meanwhile = async () => {}) => {
      const enough = new AbortController();
      const first = Promise.withResolvers<void>();
      const running = harness.run(['vm', ...args, '--watch'], {
        signal: enough.signal,
        onOutput: (out) => {
          if (out.includes('web')) first.resolve();
          if (until(out)) enough.abort();
        },
      });
      await first.promise;
      await meanwhile();
      return running;
    };

    it.each([[['get', 'web']], [['list', '-A']]])('has node and address in its first row: %s', async (command) => {
      const { code, out } = await following([...command, '-o', 'wide'], (so) => so.split('\n').length > 2);
      expect(code).toBe(0);
      expect(out).not.toContain('<none>');
      expect(out.split('\n')[1]).toMatch(/web +kubevirt.io +Running +True +\S+ +kwok-node-\d +10\.\S+ +1 +1Gi$/);
    });

    it('prints each change, as a row or a name', async () => {
      const { out } = await following(
        ['list'],
        (so) => so.includes('Paused'),
        async () => void (await vm('pause', 'web')),
      );
      expect(out.split('\n').map((line) => line.split(/ +/)[2])).toEqual(['STATUS', 'Running', 'Paused', undefined]);
      const names = await following(
        ['list', '-o', 'name'],
        (so) => so.split('\n').length > 2,
        async () => void (await vm('unpause', 'web')),
      );
      expect(new Set(names.out.trim().split('\n'))).toEqual(new Set(['virtualmachine.kubevirt.io/web']));
    });
  });
});
