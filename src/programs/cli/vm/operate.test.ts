import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualMachine } from '#api/hypersdk/virtual-machine';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { resourceTypeFor } from '#api/kubevirt/resources';
import { realClock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import { type CommandHarness, startCommandHarness } from '#testing/command-harness';

const namespace = 'default';

describe('commands of vimana vm that use a VMOperation', () => {
  let harness: CommandHarness;
  const vm = (...args: string[]) => harness.run(['vm', ...args]);
  const make = async (name: string, spec: object = {}) => {
    const object = { metadata: { name, namespace }, spec: { cpus: 1, memory: '1Gi', ...spec } };
    await harness.admin.create(resourceTypeFor(virtualMachine), object);
  };
  const machine = (name: string) => harness.admin.get(resourceTypeFor(virtualMachine), name, { namespace });
  const operations = async (name: string) =>
    (await harness.admin.list(resourceTypeFor(vmOperation), { namespace })).items
      .map(({ spec }) => spec)
      .filter(({ vmRef }) => vmRef.name === name);

  beforeAll(async () => {
    harness = await startCommandHarness();
    await make('web');
  });
  afterAll(() => harness.stop());

  it.each(['start', 'restart'])('%ss a VM that has crashed and stays stopped', async (verb) => {
    const name = `${verb}ed`;
    await make(name, { annotations: { 'vimana.io/fail': 'crash', 'vimana.io/fail-after': '1s' } });
    await expect.poll(async () => (await machine(name)).status?.phase).toBe('Failed');
    expect(await vm(verb, name, '--wait')).toMatchObject({
      code: 0,
      out: `${name}: ${verb} requested\n${name} is Running\n`,
    });
  });

  it('migrates a VM with detailed options', async () => {
    await vm('start', 'web', '--wait');
    const { nodeName } = (await machine('web')).status ?? {};
    const flags = ['--bandwidth', '800Mbps', '--post-copy', '--no-auto-converge'];
    const { code, out } = await vm('migrate', 'web', ...flags, '--wait');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^web: migration requested\nweb is migrated to kwok-node-\d\n$/),
    ]);
    expect((await machine('web')).status?.nodeName).not.toBe(nodeName);
    expect(await vm('migrate', 'web', '--cold', '--target-node', nodeName ?? '', '--wait')).toMatchObject({
      code: 0,
      out: `web: migration requested\nweb is migrated to ${nodeName}\n`,
    });
    expect((await operations('web')).map(({ migrateSpec }) => migrateSpec)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ bandwidth: '800Mbps', postCopy: true, autoConverge: false, live: true }),
        expect.objectContaining({ live: false, targetNode: nodeName }),
      ]),
    );
  });

  it('rejects a target node that does not exist, or that is given in two ways', async () => {
    expect(await vm('migrate', 'web', '--target-node', 'nobody')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--target-node nobody: node not found') as string,
    });
    expect(await vm('migrate', 'web', '--cold', '--node-selector', 'a=b')).toMatchObject({
      err: expect.stringContaining('--node-selector cannot be combined with') as string,
    });
  });

  it('reports the new size of a VM', async () => {
    expect((await vm('resize', 'web', '--cpus', '2', '--wait')).out).toMatch(/\nweb is resized: the VM has 2 CPUs/);
  });

  it('respects its timeout, and leaves no operation behind that blocks others', async () => {
    const restore = ['vm', 'restore', 'web', 'nobody-saved-it', '--wait', '--timeout', '2s'];
    // The command itself never times out here, since the operation ends.
    expect(await harness.run(restore, { clock: new FakeClock({ start: realClock.now() }) })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/nobody-saved-it not found[^]*nothing has been changed/) as string,
    });
    expect((await operations('web')).find(({ operation }) => operation === 'restore')?.timeout).toBe('2s');
  });
});
