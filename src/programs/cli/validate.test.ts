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

  it.each([
    ['broken.yaml', 'broken.yaml:1:'],
    [
      'typo.yaml',
      'unknown kind hypersdk.io/v1alpha1 VirtualMashine; known kinds are hypersdk.io/v1alpha1 VirtualMachine',
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
      'odd-scenarios.json:1: scenarios calm is not valid:\n' +
        '  calm[0].memory_usage: Invalid value: 1.2: must not be greater than 1\n',
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
