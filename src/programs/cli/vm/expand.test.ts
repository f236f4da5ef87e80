import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type CommandHarness, startCommandHarness } from '#testing/command-harness';

const TEMPLATE = `
apiVersion: hypersdk.io/v1alpha1
kind: VMTemplate
metadata: {name: debian}
spec:
  displayName: Debian
  version: 1.4.0
  image: {source: 'docker://team/debian:12', size: 4Gi}
  defaultSpec: {firmware: {bootloader: uefi}, disks: [{name: root, size: 20Gi, storageClass: fast-ssd}]}
`;
const machine = (name: string, spec = '', template = 'debian') => `
apiVersion: hypersdk.io/v1alpha1
kind: VirtualMachine
metadata: {name: ${name}}
spec: {cpus: 2, memory: 4Gi, running: false, image: {templateRef: {name: ${template}}}${spec}}
`;
const files = {
  'all.yaml': [machine('web'), TEMPLATE, machine('db', ', disks: [{name: root, size: 80Gi}]')].join('---'),
  'web.yaml': machine('web'),
  'lost.yaml': machine('lost', '', 'nothing'),
  'small.yaml': `${machine('small', ', disks: [{name: root, size: 1Gi}]')}---${TEMPLATE}`,
  'wrong.yaml': machine('wrong', ', colour: red'),
  'template.yaml': TEMPLATE,
};

let harness: CommandHarness;
beforeAll(async () => {
  harness = await startCommandHarness();
});
afterAll(() => harness.stop());
const expand = (...args: string[]) => harness.run(['vm', 'expand', ...args], { files });

it('merges VMs in files with the templates beside them, without a cluster', async () => {
  const { code, out, err } = await expand('-f', 'all.yaml');
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^# default\/web with VMTemplate default\/debian, version 1\.4\.0\napiVersion: hypersdk/);
  const [web, db] = parseAllDocuments(out).map((document) => document.toJS() as { spec: object });
  expect(web).toEqual({
    apiVersion: 'hypersdk.io/v1alpha1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      cpus: 2,
      memory: '4Gi',
      running: false,
      machineType: 'q35',
      image: { source: 'docker://team/debian:12' },
      firmware: { bootloader: 'uefi', secureBoot: false },
      disks: [{ name: 'root', size: '20Gi', storageClass: 'fast-ssd', type: 'disk' }],
    },
  });
  expect(db?.spec).toMatchObject({ disks: [{ name: 'root', size: '80Gi', storageClass: 'fast-ssd' }] });
});

it('expands VMs of the cluster, and reads templates from there that the files lack', async () => {
  const missing = await expand('-f', 'web.yaml');
  expect(missing).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('VMTemplate "default/debian" of web not found'),
  });
  await harness.run(['vm', 'create', '-f', 'web.yaml'], { files });
  expect(await expand('web')).toMatchObject({ code: 1, err: expect.stringContaining('of web not found') });
  await harness.admin.create(
    { group: 'hypersdk.io', version: 'v1alpha1', plural: 'vmtemplates', kind: 'VMTemplate', namespaced: true },
    { ...(parse(TEMPLATE) as object), metadata: { name: 'debian', namespace: 'default' } },
  );
  const fromFile = await expand('-f', 'web.yaml', '-o', 'json');
  const fromCluster = await expand('web', '-o', 'json');
  expect([fromFile.err, fromCluster.err]).toEqual(['', '']);
  expect(JSON.parse(fromCluster.out)).toEqual(JSON.parse(fromFile.out));
});

it.each<[string, string[], number, string]>([
  ['nothing', [], 2, 'specify either names or files'],
  ['both', ['web', '-f', 'web.yaml'], 2, 'specify either names or files'],
  ['a VM that does not exist', ['nobody'], 1, 'VirtualMachine "default/nobody" not found'],
  ['a template that does not exist', ['-f', 'lost.yaml'], 1, 'VMTemplate "default/nothing" of lost not found'],
  ['an unknown field', ['-f', 'wrong.yaml'], 2, 'unknown field "spec.colour"'],
  ['a file without VMs', ['-f', 'template.yaml'], 2, 'template.yaml contains no VirtualMachine of hypersdk.io'],
])('rejects %s', async (_what, args, code, message) => {
  expect(await expand(...args)).toEqual({ code, out: '', err: expect.stringContaining(message) });
});

it('reports why a VM cannot be started', async () => {
  expect(await expand('-f', 'small.yaml')).toMatchObject({
    code: 0,
    err: 'small cannot be started: the image of VMTemplate default/debian requires 4Gi, but disk root has 1Gi: increase its size in spec.disks\n',
  });
});
