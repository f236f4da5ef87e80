import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readManifest } from '#platform/kube/manifest';
import type { Kind } from '#platform/schema/kind';
import { admissionTrial } from '#testing/admission-trial';
import { virtualMachineAdmitter } from './virtual-machine.ts';
import { vmNetworkAdmitter } from './vm-network.ts';
import { vmPoolAdmitter } from './vm-pool.ts';
import { vmStorageAdmitter } from './vm-storage.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: unknown;
  readonly status?: unknown;
}

const root = new URL('../../../../../', import.meta.url);
const trials = {
  VirtualMachine: admissionTrial(virtualMachineAdmitter),
  VMPool: admissionTrial(vmPoolAdmitter),
  VMNetwork: admissionTrial(vmNetworkAdmitter),
  VMStorage: admissionTrial(vmStorageAdmitter),
};
const kinds: readonly Kind[] = [virtualMachineAdmitter, vmPoolAdmitter, vmNetworkAdmitter, vmStorageAdmitter].map(
  ({ kind }) => kind,
);

function filesIn(directory: string, start = ''): string[] {
  return readdirSync(new URL(directory, root))
    .filter((name) => name.startsWith(start))
    .map((name) => `${directory}/${name}`);
}

const text = (file: string) => readFileSync(new URL(file, root), 'utf8');
const manifestsIn = (file: string) => readManifest(text(file)).documents.map(({ object }) => object as Manifest);

/** Returns all objections of the API server to a manifest that kubectl sends with strict validation. */
function objections(manifest: Manifest): readonly string[] {
  const named = { ...manifest, metadata: { namespace: 'default', ...manifest.metadata } };
  const { causes, unknownFields, warnings } = trials[manifest.kind as keyof typeof trials](named);
  return [...causes, ...unknownFields, ...warnings];
}

/** Manifest with hooks, devices and other settings that are not supported yet. */
const NOT_SERVED_WHOLE = '003-virtual-machine.yaml';
const documented = filesIn('test/fixtures/documented', '003-');
const examples = filesIn('examples/novacron');

test('the examples include a documented manifest and every kind', () => {
  const all = new Set(kinds.map(({ kind }) => kind));
  expect(new Set(documented.flatMap(manifestsIn).map(({ kind }) => kind))).toEqual(all);
  expect(new Set(examples.flatMap(manifestsIn).map(({ kind }) => kind))).toEqual(all);
});

test.each([...documented, ...examples].filter((file) => !file.endsWith(NOT_SERVED_WHOLE)))(
  '%s is accepted unchanged, without warnings',
  (file) => {
    expect(manifestsIn(file).flatMap(objections)).toEqual([]);
  },
);

test('the documented VM is accepted, with warnings about unsupported fields', () => {
  const file = documented.find((each) => each.endsWith(NOT_SERVED_WHOLE)) ?? '';
  const [manifest] = manifestsIn(file) as [Manifest];
  const { causes, unknownFields, warnings } = trials.VirtualMachine(manifest);
  expect([...causes, ...unknownFields]).toEqual([]);
  expect(warnings.map((each) => each.slice(0, each.indexOf(' is not supported yet')))).toEqual([
    'spec.template.spec.devices',
    'spec.template.spec.lifecycle.preStart',
    'spec.template.spec.lifecycle.preStop',
    'spec.snapshotPolicy',
    'spec.migrationPolicy.encrypted',
    'spec.template.spec.networks[1].ipv4.method',
    'spec.updateStrategy',
  ]);
});

test.each(documented)('%s has a status that a controller could write', (file) => {
  for (const manifest of manifestsIn(file)) {
    const named = { ...manifest, metadata: { namespace: 'default', ...manifest.metadata } };
    const { causes, unknownFields, object } = trials[manifest.kind as keyof typeof trials](named, named, 'status');
    expect([...causes, ...unknownFields]).toEqual([]);
    expect(object.status).toEqual(manifest.status);
  }
});

test.each(examples)('%s explains its purpose in the first line', (file) => {
  expect(text(file).split('\n', 1)[0]).toMatch(/^# \S.*\.$/);
});

test.each(kinds)('the example in the reference of $kind is accepted', ({ apiVersion, kind, example }) => {
  expect(objections({ apiVersion, kind, metadata: { name: example.name }, spec: example.spec })).toEqual([]);
});
