import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandHarness, startCommandHarness } from '#testing/command-harness';

describe('vimana explain', () => {
  let harness: CommandHarness;
  const run = (line: string) => harness.run(line.split(' '));
  beforeAll(async () => {
    harness = await startCommandHarness();
    await run('vm create web -g kubevirt.io --wait');
    await run('vm create off -g hypersdk.io --stopped --wait');
  });
  afterAll(() => harness.stop());

  it.each(['explain vm web', 'explain vm virtualmachine.kubevirt.io/web', 'explain pod web'])(
    '%s explains the placement of the pod of the VM',
    async (line) => {
      const { code, out, err } = await run(line);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(
        /^pod default\/virt-launcher-web-\w+, attempt 1 of default-scheduler at .*\nplaced on kwok-node-/,
      );
    },
  );

  it('shows in its help only what it accepts', async () => {
    expect((await run('explain --help')).out).not.toContain('[name]');
  });

  it('explains a pod by its own name too', async () => {
    const [, pod = ''] = /^pod default\/(\S+),/.exec((await run('explain vm web')).out) ?? [];
    expect(await run(`explain pod ${pod} -o json`)).toEqual(await run('explain vm web -o json'));
  });

  it.each<[string, number, string]>([
    ['explain pod nothing', 1, 'neither a pod nor a VM "default/nothing" is known\nList VMs with vimana vm list -A'],
    ['explain vm nothing', 1, 'VirtualMachine "default/nothing" not found'],
    ['explain vm off', 1, 'VM "default/off" is not running'],
    ['explain pod off', 1, 'or start it: vimana vm start off'],
    ['explain web', 2, 'For example: vimana explain vm web'],
  ])('%s reports what is wrong', async (line, code, message) => {
    expect(await run(line)).toEqual({ code, out: '', err: expect.stringContaining(message) });
  });
});
