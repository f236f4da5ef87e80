import { describe, expect, it } from 'vitest';
import { memoryIo } from '#testing/memory-io';
import { validateCommand } from './validate.ts';

const files: Readonly<Record<string, string>> = {
  'good.yaml': `
apiVersion: hypersdk.io/v1alpha1
kind: VirtualMachine
metadata: {name: web}
spec: {cpus: 2, memory: 4Gi, image: {source: 'https://images.example.com/debian.qcow2'}}
`,
  'bad.yaml': `
apiVersion: hypersdk.io/v1alpha1
kind: VirtualMachine
metadata: {name: Web}
spec: {cpus: 0, memory: lots, wings: 2, networks: [{name: a, macAddress: zz}]}
`,
  'typos.yaml': `apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  runStrategi: Always
  template:
    spec:
      domain:
        memory:
          gest: 4Gi
        devices: {}
---
apiVersion: hypersdk.io/v1alpha1
kind: VirtualMachine
metadata:
  name: web
spec:
  cpu: 2
  memory: 4GB
  disks:
    - name: root
      size: 50
    - { name: data, size: 5GB }
`,
  'list.yaml':
    'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n- apiVersion: hypersdk.io/v1alpha1\n  kind: VirtualMachine\n  metadata: {name: web}\n  spec:\n    cpus: 0\n    memory: 1Gi\n',
  'group.yaml': 'apiVersion: kubvirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a}\n',
  'version.yaml': 'kind: VirtualMachine\napiVersion: kubevirt.io/v2\nmetadata: {name: a}\n',
  'broken.yaml': 'a: [',
  'other.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n',
  'typo.yaml': 'apiVersion: hypersdk.io/v1alpha1\nkind: VirtualMashine\nmetadata: {name: s}\n',
  'advice.yaml':
    'apiVersion: hypersdk.io/v1alpha1\nkind: VirtualMachine\nmetadata: {name: small}\nspec: {cpus: 1, memory: 1Gi, image: {templateRef: {name: big}}}\n---\napiVersion: hypersdk.io/v1alpha1\nkind: VMTemplate\nmetadata: {name: big}\nspec: {displayName: Big, image: {source: "docker://a/b"}, recommendedResources: {minCpus: 4}}\n',
  'odd-template.yaml':
    'apiVersion: hypersdk.io/v1alpha1\nkind: VirtualMachine\nmetadata: {name: lost}\nspec: {cpus: 1, memory: 1Gi, image: {templateRef: {name: odd}}}\n---\napiVersion: hypersdk.io/v1alpha1\nkind: VMTemplate\nmetadata: {name: odd}\nspec: []\n',
  'empty.yaml': '# nothing\n',
  'scenarios.json': '{"calm": [{"name": "a"}], "busy": [{"name": "a", "cpu_usage": 0.9}]}',
  'odd-scenarios.json': '{"calm": [{"name": "a", "memory_usage": 1.2}]}',
};

async function validate(...paths: string[]) {
  const io = memoryIo(files, { folder: ['good.yaml', 'other.yaml'] });
  let failure: string | undefined;
  try {
    await validateCommand(io).parseAsync(paths, { from: 'user' });
  } catch (error) {
    failure = (error as Error).message;
  }
  return { ...io.printed, failure };
}

describe('vimana validate', () => {
  it('accepts what admission accepts, and skips objects of other groups', async () => {
    const { out, err, failure } = await validate('folder');
    expect(out).toBe(
      'good.yaml:2: VirtualMachine "web" is valid\nother.yaml:1: Secret "s" skipped: v1 is not a group of Vimana\n',
    );
    expect({ err, failure }).toEqual({ err: '', failure: undefined });
  });

  it('reports every cause at once, each with its path', async () => {
    const { err, failure } = await validate('bad.yaml');
    for (const path of ['metadata.name', 'spec.cpus', 'spec.memory', '"spec.wings"', 'spec.networks[0].macAddress']) {
      expect(err).toContain(path);
    }
    expect(failure).toBe('1 of 1 objects are not valid');
  });

  it('reports the line and the column of each field, and suggests a correction', async () => {
    const { err } = await validate('typos.yaml');
    const lines = [
      'typos.yaml:1: VirtualMachine "web" is not valid:',
      '  typos.yaml:6:3: unknown field "spec.runStrategi": did you mean runStrategy?',
      '  typos.yaml:11:11: unknown field "spec.template.spec.domain.memory.gest": did you mean guest?',
      'typos.yaml:14: VirtualMachine "web" is not valid:',
      '  typos.yaml:19:3: unknown field "spec.cpu": did you mean cpus?',
      '  typos.yaml:18:1: spec.cpus: Required value',
      '  typos.yaml:20:3: spec.memory: Invalid value: "4GB": must be a whole number with a binary suffix, such as 512Mi or 8Gi: try 4Gi',
      '  typos.yaml:24:21: spec.disks[1].size: Invalid value: "5GB": must be a quantity, such as 500m, 2 or 8Gi: try 5Gi',
      '  typos.yaml:23:7: spec.disks[0].size: Invalid value: 50: must be greater than or equal to 1M: 50 without a suffix is 50 bytes; did you mean 50Gi?',
      '  Further rules are checked once these errors are corrected.',
    ];
    expect(err.split('\n')).toEqual(expect.arrayContaining(lines));
    expect(err).not.toContain('<nil>');
  });

  it('reports the positions of objects in a List', async () => {
    const { out, err } = await validate('list.yaml');
    expect(out).toBe('list.yaml:4: Secret "" skipped: v1 is not a group of Vimana\n');
    expect(err).toContain('list.yaml:6: VirtualMachine "web" is not valid:\n  list.yaml:10:5: spec.cpus: ');
  });

  it('suggests the group of an object that it skips', async () => {
    expect((await validate('group.yaml')).out).toContain(
      'skipped: kubvirt.io/v1 is not a group of Vimana; did you mean kubevirt.io?',
    );
  });

  it.each([
    ['broken.yaml', 'broken.yaml:1:'],
    [
      'typo.yaml',
      'typo.yaml:2:1: unknown kind hypersdk.io/v1alpha1 VirtualMashine; did you mean hypersdk.io/v1alpha1 VirtualMachine?',
    ],
    [
      'version.yaml',
      'version.yaml:2:1: unknown kind kubevirt.io/v2 VirtualMachine; did you mean kubevirt.io/v1 VirtualMachine?',
    ],
    ['empty.yaml', 'empty.yaml: contains no object'],
  ])('rejects %s by name', async (file, message) => {
    const { err, failure } = await validate(file);
    expect(err).toContain(message);
    expect(failure).toBe('1 of 1 objects are not valid');
  });

  it('validates scenario files', async () => {
    expect((await validate('scenarios.json')).out).toBe('scenarios.json:1: scenarios calm, busy are valid\n');
    expect((await validate('odd-scenarios.json')).err).toBe(
      'odd-scenarios.json:1: scenarios calm are not valid:\n' +
        '  odd-scenarios.json:1:25: calm[0].memory_usage: Invalid value: 1.2: must not be greater than 1\n',
    );
  });

  it.each([
    ['once', ['-f', 'good.yaml', 'other.yaml']],
    ['repeatedly', ['--filename', 'good.yaml', '-f', 'other.yaml']],
    ['as a directory', ['-f', 'folder']],
    ['beside arguments', ['good.yaml', '-f', 'other.yaml']],
  ])("accepts kubectl's flag for files, %s", async (_, args) => {
    const { out, failure } = await validate(...args);
    expect(out).toMatch(/^good\.yaml:2: .*\nother\.yaml:1: .*\n$/);
    expect(failure).toBeUndefined();
  });

  it('requires a file', async () => {
    expect((await validate()).failure).toBe('no file given');
  });

  it('reports which file it cannot read', async () => {
    expect((await validate('missing.yaml')).failure).toBe('cannot read missing.yaml: no such file');
  });
});

it('checks a VM against the minimum of a template beside it, if that is valid', async () => {
  expect((await validate('advice.yaml')).out).toContain(
    'warning: spec.cpus (1) is less than template big recommends (4)',
  );
  const { out, err } = await validate('odd-template.yaml');
  expect(out).toContain('VirtualMachine "lost" is valid');
  expect(err).toContain('VMTemplate "odd" is not valid');
});
