import { afterAll, beforeAll, expect, it } from 'vitest';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { resourceTypeFor } from '#api/kubevirt/resources';
import { type CommandHarness, startCommandHarness } from '#testing/command-harness';

let harness: CommandHarness;
beforeAll(async () => {
  harness = await startCommandHarness();
  await harness.run(['vm', 'create', 'web', '-g', 'kubevirt.io', '--stopped', '--wait']);
  await harness.run(['vm', 'create', 'shop', '-g', 'hypersdk.io', '--stopped']);
});
afterAll(() => harness.stop());

const run = (text: string) => harness.run(text.split(' '));
const kubevirt = { name: 'web', apiGroup: 'kubevirt.io', kind: 'VirtualMachine' };

it.each<[string, string, object]>([
  [
    'vm clone web twin --linked --start',
    'web-clone',
    { vmRef: kubevirt, cloneSpec: { targetName: 'twin', linkedClone: true, startAfterClone: true } },
  ],
  ['vm clone shop twin', 'shop-clone', { vmRef: { name: 'shop' }, cloneSpec: { targetName: 'twin' } }],
  ['vm resize web --cpus 4 --hotplug', 'web-resize', { vmRef: kubevirt, resizeSpec: { cpus: 4, hotplug: true } }],
  ['vm restore shop monday', 'shop-restore', { restoreSpec: { snapshotName: 'monday' } }],
])('%s creates a VMOperation', async (words, name, spec) => {
  const { code, out, err } = await run(words);
  expect([code, err]).toEqual([0, '']);
  const made = /^vmoperation.hypersdk.io\/(\S+) created\n$/.exec(out)?.[1] ?? '';
  expect(made).toMatch(new RegExp(`^${name}-\\w{5}$`));
  expect(await harness.admin.get(resourceTypeFor(vmOperation), made, { namespace: 'default' })).toMatchObject({ spec });
});

it.each<[string, number, string]>([
  ['vm clone nobody twin', 1, 'VirtualMachine "default/nobody" not found'],
  ['vm clone web web', 2, 'must differ from the VM that is cloned'],
  ['vm resize web', 2, 'operation resize needs resizeSpec.cpus or resizeSpec.memory'],
  ['vm resize web --cpus 0', 2, '--cpus 0: It must be a whole number of at least 1.'],
  ['snapshot create nobody', 1, 'VirtualMachine "default/nobody" not found'],
  ['snapshot delete never', 1, 'vmsnapshots.hypersdk.io "never" not found'],
  ['template create t', 2, "required option '--image <image>' not specified"],
  ['template create T --image docker://a/b', 2, 'metadata.name: Invalid value: "T"'],
  ['template get none', 1, 'vmtemplates.hypersdk.io "none" not found'],
  ['vm describe nobody', 1, 'VirtualMachine "default/nobody" not found'],
  ['vm create x --template t -g kubevirt.io', 2, 'VMs of kubevirt.io do not support --template'],
  ['vm create x --template nope', 1, 'VMTemplate "default/nope" not found\nNamespace default has no templates.'],
  ['vm create x --memory 8', 2, '--memory 8: It must be at least 1M: 8 without a suffix is 8 bytes; did you mean 8Gi?'],
  ['vm create x --memory 4GB', 2, '--memory 4GB: It must be a quantity such as 512Mi or 8Gi: try 4Gi.'],
  ['vm create My_VM', 2, 'begin and end with a letter or digit: try my-vm'],
  ['vm create x -g hypersdk', 2, 'Did you mean hypersdk.io?'],
  ['vm list -o ymal', 2, 'Did you mean yaml?'],
  ['vm start', 2, "error: missing required argument 'name'\nSee: vimana vm start --help"],
  ['vm list nope', 2, 'See: vimana vm list --help'],
  ['vm create x --memory much', 2, '--memory much: It must be a quantity such as 512Mi or 8Gi.'],
  ['vm create x -g hypersdk.io --disk root=50', 2, '50 without a suffix is 50 bytes; did you mean 50Gi?'],
  ['vm create x --disk 50Gi', 2, 'Did you mean root=50Gi?'],
  ['vm resize web --memory 8', 2, 'did you mean 8Gi?'],
  ['vm list --min-memory 8', 2, 'did you mean 8Gi?'],
  ['template create t --image docker://a/b --memory 8', 2, 'did you mean 8Gi?'],
  ['carbon estimate --zone DE --memory 8', 2, 'did you mean 8Gi?'],
])('%s is rejected, and creates nothing', async (words, code, message) => {
  expect(await run(words)).toEqual({ code, out: '', err: expect.stringContaining(message) });
});

it('snapshots are created with a given or a generated name, listed by VM, and deleted', async () => {
  expect((await run('snapshot create web first --keep-days 3 --description x')).out).toBe(
    'vmsnapshot.hypersdk.io/first created\n',
  );
  expect((await run('snapshot create shop')).out).toMatch(/^vmsnapshot.hypersdk.io\/shop-snapshot-\w{5} created\n$/);
  const first = await harness.admin.get(resourceTypeFor(vmSnapshot), 'first', { namespace: 'default' });
  expect(first.spec).toMatchObject({ vmRef: kubevirt, description: 'x', retention: { keepDays: 3 } });
  expect((await run('snapshot list --vm web -o name')).out).toBe('vmsnapshot.hypersdk.io/first\n');
  expect((await run('snapshot list -o name')).out.split('\n')).toHaveLength(3);
  expect((await run('snapshot delete first')).out).toMatch(
    /^vmsnapshot.hypersdk.io\/first (deleted|is being deleted)\n$/,
  );
});

it('templates are created, listed and shown', async () => {
  expect((await run('template create t --image docker://a/b --os linux --cpus 2')).out).toBe(
    'vmtemplate.hypersdk.io/t created\n',
  );
  expect((await run('template list')).out).toMatch(/^NAME +DISPLAY NAME[^]*\nt +t /);
  expect((await run('template get t -o json')).out).toContain('"source": "docker://a/b"');
});

it('hypersdk.io VMs take memory in any unit, although their field takes only binary suffixes', async () => {
  const { code, out } = await run('vm create odd -g hypersdk.io --memory 1.5Gi --stopped --dry-run -o json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ spec: { memory: '1536Mi' } });
});
