import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VM_TEMPLATES } from '#api/hypersdk/resources';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { resourceTypeFor, VMS } from '#api/kubevirt/resources';
import { type CommandHarness, startCommandHarness } from '#testing/command-harness';
import { runHyperctl } from '#testing/hyperctl';

let harness: CommandHarness;
const call = (text: string, answers?: readonly string[]) =>
  runHyperctl(['k8s', ...text.split(' ')], { client: harness.admin, ...(answers === undefined ? {} : { answers }) });
const namesIn = (out: string) =>
  out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ +/)[0]);
const template = (name: string) => ({
  metadata: { name },
  spec: {
    displayName: 'Debian 12',
    defaultSpec: { cpus: 2, memory: '3Gi' },
    image: { source: 'https://images.example.org/debian-12.qcow2' },
  },
});

beforeAll(async () => {
  harness = await startCommandHarness();
  const create = (...args: string[]) => harness.run(['vm', 'create', ...args, '-g', 'kubevirt.io', '--wait']);
  await create('big', '--cpus', '8', '--memory', '16Gi', '--labels', 'tier=db');
  await create('small');
  await create('idle', '--stopped');
  const options = { namespace: 'default' };
  await harness.admin.create(VM_TEMPLATES, template('debian-12'), options);
  const spec = { vmRef: { name: 'small', apiGroup: 'kubevirt.io' } };
  await harness.admin.create(resourceTypeFor(vmSnapshot), { metadata: { name: 'monday' }, spec }, options);
});
afterAll(() => harness.stop());

describe('hyperctl k8s', () => {
  it.each([
    ['', ['big', 'idle', 'small']],
    [' -namespace default', ['big', 'idle', 'small']],
    [' -status running', ['big', 'small']],
    [' -status Stopped,Paused', ['idle']],
    [' -selector tier=db', ['big']],
    [' -min-cpus 2', ['big']],
    [' -min-memory 1Gi', ['big', 'idle', 'small']],
    [' -min-memory 1.5Gi', ['big']],
    [' -status=running -min-cpus=1 -selector=tier!=db', ['small']],
  ])('lists VMs: vm-list%s', async (flags, names) => {
    const { code, out } = await call(`-op vm-list${flags}`);
    expect([code, namesIn(out)]).toEqual([0, names]);
  });

  it('lists the VMs of a node', async () => {
    const { out } = await call('-op vm-list -output wide');
    const [, name = '', node = ''] = /^(\S+) .*(kwok-node-\d)/m.exec(out) ?? [];
    expect(namesIn((await call(`-op vm-list -node ${node}`)).out)).toContain(name);
    expect((await call('-op vm-list -node nowhere')).err).toBe('No VMs found in namespace default.\n');
  });

  it('watches the VMs that match a filter', async () => {
    const enough = new AbortController();
    let seen = '';
    const running = harness.run(['vm', 'list', '--watch', '--status', 'Paused'], {
      signal: enough.signal,
      onOutput: (out) => {
        seen = out;
        if (out.includes('small')) enough.abort();
      },
    });
    await harness.run(['vm', 'pause', 'small', '--wait']);
    await running;
    expect(namesIn(seen)).toEqual(['small']);
    await harness.run(['vm', 'unpause', 'small', '--wait']);
  });

  it('shows a VM in every output format', async () => {
    expect((await call('-op vm-get -vm small')).out).toMatch(/^NAME +GROUP[^]*\nsmall +kubevirt.io +Running/);
    expect((await call('-op vm-get -vm small -output name')).out).toBe('virtualmachine.kubevirt.io/small\n');
    for (const format of ['json', 'yaml']) {
      expect(parse((await call(`-op vm-get -vm small -output ${format}`)).out)).toMatchObject({
        kind: 'VirtualMachine',
        metadata: { name: 'small' },
      });
    }
    expect(await call('-op vm-get -vm nobody')).toMatchObject({ code: 1, out: '' });
  });

  it('describes a VM with its snapshots and events', async () => {
    const { out } = await call('-op vm-describe -vm small');
    expect(out).toMatch(/^Name: +small\nNamespace: +default\nGroup: +kubevirt.io\n/);
    expect(out).toMatch(/\nStatus: +Running\nNode: +kwok-node-\d\nAddress: +10\.\S+\nCPUs: +1\nMemory: +1Gi\n/);
    expect(out).toMatch(/\nConditions:\n {2}TYPE +STATUS +REASON +MESSAGE\n[^]* {2}Ready +True/);
    expect(out).toMatch(/\nSnapshots:\n {2}NAME +VM +STATUS[^]*\n {2}monday +small/);
    expect(out).toContain('\nOperations: <none>\nEvents:');
    // Events have the lowest priority, and may arrive later than the change that they report.
    const events = async () => (await call('-op vm-describe -vm small')).out.split('\nEvents:')[1];
    await expect.poll(events).toMatch(/^\n {2}LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/);
    expect((await call('-op vm-describe -vm idle')).out).toMatch(/\nStatus: +Stopped\nNode: +<none>\n/);
  });

  it('lists and shows templates', async () => {
    expect((await call('-op template-list')).out).toMatch(/^NAME +DISPLAY NAME +OS[^]*\ndebian-12 +Debian 12 /);
    expect((await call('-op template-get -template debian-12 -output name')).out).toBe(
      'vmtemplate.hypersdk.io/debian-12\n',
    );
    expect(parse((await call('-op template-get -template debian-12 -output yaml')).out)).toMatchObject(
      template('debian-12'),
    );
    expect(await call('-op template-get -template none')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('vmtemplates.hypersdk.io "none" not found'),
    });
    expect((await call('-op template-list -namespace kube-system')).err).toBe(
      'No templates found in namespace kube-system.\n',
    );
  });

  it('lists all snapshots, and those of one VM', async () => {
    expect(namesIn((await call('-op vm-snapshot-list')).out)).toEqual(['monday']);
    expect(namesIn((await call('-op vm-snapshot-list -vm small')).out)).toEqual(['monday']);
    expect(await call('-op vm-snapshot-list -vm big')).toMatchObject({ code: 0, out: '' });
    expect(namesIn((await call('-op vm-snapshot-list -vm small -group kubevirt.io')).out)).toEqual(['monday']);
    expect(await call('-op vm-snapshot-list -vm small -group novacron.io')).toMatchObject({ code: 0, out: '' });
  });

  it('counts objects', async () => {
    const { out } = await call('-op status');
    expect(out).toMatch(/^server: +v1\.\S+\nnamespace: +default\nVMs: +3 \(2 Running, 1 Stopped\)\n/);
    expect(out).toMatch(/\ntemplates: +1 \(1 (Not)?Ready\)\nsnapshots: +1 \(1 \w+\)\noperations: +none\n$/);
    expect(JSON.parse((await call('-op status -output json -all-namespaces')).out)).toMatchObject({
      namespace: '',
      machines: { Running: 2, Stopped: 1 },
    });
  });

  it('offers existing templates with their defaults, and creates the chosen VM', async () => {
    const { code, out, err } = await call('-op vm-create', ['asked', '', '', '', '', 'no', 'no']);
    expect(code).toBe(0);
    expect(err).toContain('  1. debian-12  Debian 12\n');
    expect(parse(out)).toMatchObject({
      metadata: { name: 'asked' },
      spec: { cpus: 2, memory: '3Gi', running: false, image: { templateRef: { name: 'debian-12' } } },
    });
  });

  it('deletes a snapshot immediately, and reports it on standard error', async () => {
    expect(await call('-op vm-snapshot-delete -snapshot monday')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringMatching(/^vmsnapshot.hypersdk.io\/monday (deleted|is being deleted)\n$/),
    });
    expect(await call('-op vm-snapshot-delete -snapshot never')).toMatchObject({ code: 1, out: '' });
  });

  it('completes flags with one dash and with two', async () => {
    const offered = async (line: string) => {
      const { out } = await runHyperctl(['__complete', 'zsh', '--', ...line.split(' ')], { client: harness.admin });
      return out.split('\n').flatMap((each) => (each === '' ? [] : [each.split('\t')[0]]));
    };
    expect(await offered('k')).toEqual(['k8s']);
    expect(await offered('k8s -op vm-s')).toEqual([
      'vm-start',
      'vm-stop',
      'vm-snapshot-create',
      'vm-snapshot-list',
      'vm-snapshot-delete',
    ]);
    expect(await offered('k8s -op vm-start -vm sm')).toEqual(['small']);
    expect(await offered('k8s -template de')).toEqual(['debian-12']);
    expect(await offered('k8s -include')).toEqual(['-include-memory']);
    expect(await offered('k8s --include')).toEqual(['--include-memory']);
    expect(await offered('k8s -op=vm-list -output=j')).toEqual(['-output=json']);
  });
});

describe('hyperctl carbon', () => {
  const carbon = (text: string) => runHyperctl(['carbon', ...text.split(' ')], { client: harness.admin });
  const TABLE = '-carbon-provider static -carbon-table DE=380,FR=56';

  it.each<[string, object]>([
    ['-op status', { code: 0, out: '', err: 'No carbon-aware VMs found.\n' }],
    [`${TABLE} -op zones -output json`, { code: 0, err: '', out: expect.stringContaining('"FR"') }],
    [`-op=estimate ${TABLE} -zone FR -cpus 4 --duration=2h`, { code: 0, out: expect.stringContaining('in FR: ') }],
    ['-op report -all-namespaces', { code: 0 }],
    ['-op fly', { code: 2, out: '', err: expect.stringContaining('--op fly: Allowed choices are status, zones,') }],
    ['-all-namespaces', { code: 2, out: '' }],
    ['-output json', { code: 2, out: '' }],
    ['-carbon-zone DE', { code: 2, out: '', err: expect.stringContaining('carbon needs -op') }],
    ['-op status -speed 3', { code: 2, out: '', err: expect.stringContaining("unknown option '--speed'") }],
  ])('does the same as vimana carbon: %s', async (words, outcome) => {
    expect(await carbon(words)).toMatchObject(outcome);
  });
});

it('a VM created from a template has the size of the template', async () => {
  await harness.run(['vm', 'create', 'made', '--template', 'debian-12', '--stopped', '--disk', 'root=9Gi']);
  const { out } = await harness.run(['vm', 'get', 'made', '-o', 'yaml']);
  expect(parse(out)).toMatchObject({
    apiVersion: 'hypersdk.io/v1alpha1',
    spec: {
      cpus: 2,
      memory: '3Gi',
      image: { templateRef: { name: 'debian-12' } },
      disks: [{ name: 'root', size: '9Gi' }],
    },
  });
  const { items } = await harness.admin.list(VMS, { namespace: 'default' });
  expect(items.map(({ metadata }) => metadata.name)).not.toContain('made');
});
