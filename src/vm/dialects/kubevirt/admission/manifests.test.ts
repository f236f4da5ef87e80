import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RUN_STRATEGIES } from '#api/kubevirt/run-strategy';
import { type VirtualMachineInput, virtualMachine } from '#api/kubevirt/virtual-machine';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { readManifest } from '#platform/kube/manifest';
import { compileSchema } from '#platform/structural/structural-schema';
import { admissionTrial } from '#testing/admission-trial';
import { ignoredFieldWarning } from './ignored-fields.ts';
import { virtualMachineAdmitter } from './virtual-machine.ts';
import { virtualMachineInstanceAdmitter } from './virtual-machine-instance.ts';
import { virtualMachineInstanceMigrationAdmitter } from './virtual-machine-instance-migration.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
  readonly status?: object;
}

const root = new URL('../../../../../', import.meta.url);
const trials = {
  VirtualMachine: admissionTrial(virtualMachineAdmitter),
  VirtualMachineInstance: admissionTrial(virtualMachineInstanceAdmitter),
  VirtualMachineInstanceMigration: admissionTrial(virtualMachineInstanceMigrationAdmitter),
};

const schemas = {
  VirtualMachine: compileSchema(virtualMachine.schema),
  VirtualMachineInstance: compileSchema(virtualMachineInstance.schema),
};

const text = (file: string) => readFileSync(new URL(file, root), 'utf8');

function manifestsIn(file: string): Manifest[] {
  const { documents, problems } = readManifest(text(file));
  expect(problems).toEqual([]);
  const objects = documents.map(({ object }) => object as Manifest);
  return objects.filter(({ apiVersion }) => apiVersion.startsWith('kubevirt.io/'));
}

function verdictOn(manifest: Manifest) {
  const named = { ...manifest, metadata: { namespace: 'default', ...manifest.metadata } };
  return trials[manifest.kind as keyof typeof trials](named);
}

const RUNNING_DEPRECATED = 'spec.running is deprecated, please use spec.runStrategy instead.';

function namesIn(directory: string): string[] {
  return readdirSync(new URL(directory, root)).filter((name) => name.endsWith('.yaml'));
}

describe('the documented manifest', () => {
  const [manifest] = manifestsIn('test/fixtures/documented/004-virtual-machine.yaml');
  const documented = manifest as Manifest;

  test('is accepted unchanged, with a warning about the misspelled volume', () => {
    const { causes, unknownFields, warnings } = verdictOn(documented);
    expect([...causes, ...unknownFields]).toEqual([]);
    expect(warnings).toEqual([
      RUNNING_DEPRECATED,
      'spec.template.spec.domain.devices.disks[0].volumeName: Not found: "mypcv": no volume has this name; the VM cannot start without it',
      'spec.template.spec.volumes[0].name: Invalid value: "mypvc": no disk or filesystem has this name',
    ]);
  });

  test('is accepted with the status that the documentation shows', () => {
    const status = { observedGeneration: 124, virtualMachine: 'my-vm', created: true, ready: true, conditions: [] };
    expect(verdictOn({ ...documented, status })).toMatchObject({ causes: [], unknownFields: [] });
    expect(schemas.VirtualMachine.validate({ ...documented, status })).toEqual([]);
  });

  test('is rejected when it is created in v1, which does not accept the old form', () => {
    expect(verdictOn({ ...documented, apiVersion: 'kubevirt.io/v1' }).causes).toEqual([
      'spec.template.spec.domain.devices.disks[0].volumeName: Not found: "mypcv"',
    ]);
  });

  test('may be edited in v1 once it is stored, as long as the wrong name stays', () => {
    const named = { ...documented, metadata: { ...documented.metadata, namespace: 'default' } };
    const started = { ...named, apiVersion: 'kubevirt.io/v1', spec: { ...documented.spec, running: true } };
    expect(trials.VirtualMachine(started, named)).toMatchObject({
      causes: [],
      warnings: [RUNNING_DEPRECATED, expect.any(String), expect.any(String)],
    });
  });
});

describe('examples', () => {
  const examples = namesIn('examples/kubevirt').map((name) => `examples/kubevirt/${name}`);

  test.each(examples)('%s is accepted, without a warning about any of its fields', (file) => {
    const manifests = manifestsIn(file);
    expect(manifests).not.toHaveLength(0);
    for (const manifest of manifests) {
      const { causes, unknownFields, warnings } = verdictOn(manifest);
      // A file does not show the instance of its migration, and the old form has the old field.
      const about = warnings.filter((warning) => !warning.includes('does not exist') && warning !== RUNNING_DEPRECATED);
      expect([...causes, ...unknownFields, ...about]).toEqual([]);
    }
  });

  test.each(examples)('%s explains its purpose in the first line', (file) => {
    expect(text(file).split('\n', 1)[0]).toMatch(/^# \S.*\.$/);
  });

  test('show every kind and every run strategy', () => {
    const manifests = examples.flatMap(manifestsIn);
    expect(new Set(manifests.map(({ kind }) => kind))).toEqual(new Set(Object.keys(trials)));
    const machines = manifests
      .filter(({ kind }) => kind === 'VirtualMachine')
      .map(({ spec }) => spec as VirtualMachineInput['spec']);
    const shown = new Set(machines.map(({ running, runStrategy }) => runStrategy ?? (running ? 'Always' : 'Halted')));
    expect(shown).toEqual(new Set(RUN_STRATEGIES));
  });
});

describe('manifests written for KubeVirt', () => {
  test.each(namesIn('test/fixtures/kubevirt'))('%s is accepted, with a warning about each ignored field', (name) => {
    const expected = text(`test/fixtures/kubevirt/${name.replace('.yaml', '.warnings.txt')}`)
      .split('\n')
      .filter(Boolean);
    const [manifest] = manifestsIn(`test/fixtures/kubevirt/${name}`);
    const { causes, unknownFields, warnings, object } = verdictOn(manifest as Manifest);
    expect([...causes, ...unknownFields]).toEqual([]);
    const deprecated = name === 'read-back.yaml' ? [RUNNING_DEPRECATED] : [];
    expect([...warnings].sort()).toEqual([...expected.map(ignoredFieldWarning), ...deprecated].sort());
    expect(object.spec).toEqual(manifest?.spec);
    // A creation drops the status, so it is validated separately.
    expect(schemas[manifest?.kind as keyof typeof schemas].validate(manifest)).toEqual([]);
  });
});
