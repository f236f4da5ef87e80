import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readManifest } from '#platform/kube/manifest';
import type { Kind } from '#platform/schema/kind';
import { admissionTrial } from '#testing/admission-trial';
import { simulationScenarioAdmitter } from './simulation-scenario.ts';
import { virtualMachineAdmitter } from './virtual-machine.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly resources?: unknown };
}

const root = new URL('../../../../../', import.meta.url);
const trials = {
  VirtualMachine: admissionTrial(virtualMachineAdmitter),
  SimulationScenario: admissionTrial(simulationScenarioAdmitter),
};
const kinds: readonly Kind[] = [virtualMachineAdmitter.kind, simulationScenarioAdmitter.kind];

const text = (file: string) => readFileSync(new URL(file, root), 'utf8');
const manifestsIn = (file: string) => readManifest(text(file)).documents.map(({ object }) => object as Manifest);
const trial = (manifest: Manifest) =>
  trials[manifest.kind as keyof typeof trials]({
    ...manifest,
    metadata: { namespace: 'default', ...manifest.metadata },
  });

/** Returns all objections of the API server to a manifest that kubectl sends with strict validation. */
function objections(manifest: Manifest): readonly string[] {
  const { causes, unknownFields, warnings } = trial(manifest);
  return [...causes, ...unknownFields, ...warnings];
}

const examples = readdirSync(new URL('examples/simulation', root), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => `examples/simulation/${name}`);

describe('the documented manifest', () => {
  const [documented] = manifestsIn('test/fixtures/documented/000-virtual-machine.yaml') as (Manifest & {
    status: object;
  })[];
  if (documented === undefined) throw new Error('the fixture is empty');
  const { conditions: sketch, ...status } = documented.status as { conditions: unknown };

  test('is accepted unchanged, and keeps its annotations', () => {
    expect(objections(documented)).toEqual([]);
    expect(trial(documented).object.metadata.annotations).toEqual(
      (documented.metadata as { annotations?: unknown }).annotations,
    );
  });

  test('has a status that the controller could write, except for conditions that it only hints at', () => {
    expect(sketch).toEqual(['...']);
    const written = { ...documented, metadata: { namespace: 'default', ...documented.metadata }, status };
    expect(trials.VirtualMachine(written, documented, 'status')).toMatchObject({
      causes: [],
      unknownFields: [],
      object: { status },
    });
  });
});

test('the examples include every kind', () => {
  expect(new Set(examples.flatMap(manifestsIn).map(({ kind }) => kind))).toEqual(
    new Set(kinds.map(({ kind }) => kind)),
  );
});

test.each(examples)('%s is accepted unchanged, without warnings', (file) => {
  expect(manifestsIn(file).flatMap(objections)).toEqual([]);
});

test.each(examples)('%s explains its purpose in the first line', (file) => {
  expect(text(file).split('\n', 1)[0]).toMatch(/^# \S.*\.$/);
});

test('the five VMs have the documented ratios of a node', () => {
  const machines = manifestsIn('examples/simulation/vms/example-vms.yaml');
  expect(Object.fromEntries(machines.map(({ metadata, spec }) => [metadata.name, spec.resources]))).toEqual({
    'vm-small-1': { cpu: '0.05', memory: '0.08' },
    'vm-medium-1': { cpu: '0.15', memory: '0.20' },
    'vm-large-1': { cpu: '0.30', memory: '0.40' },
    'vm-compute-intensive': { cpu: '0.40', memory: '0.15' },
    'vm-memory-intensive': { cpu: '0.10', memory: '0.50' },
  });
});

test.each(kinds)('the example in the reference of $kind is accepted', ({ apiVersion, kind, example }) => {
  const spec = example.spec as Manifest['spec'];
  expect(objections({ apiVersion, kind, metadata: { name: example.name }, spec })).toEqual([]);
});
