import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { readManifest } from '#platform/kube/manifest';
import type { Kind } from '#platform/schema/kind';
import { admissionTrial } from '#testing/admission-trial';
import { virtualMachineAdmitter } from './virtual-machine.ts';
import { vmOperationAdmitter } from './vm-operation.ts';
import { vmSnapshotAdmitter } from './vm-snapshot.ts';
import { vmTemplateAdmitter } from './vm-template.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
}

const root = new URL('../../../../../', import.meta.url);
const trials = {
  VirtualMachine: admissionTrial(virtualMachineAdmitter),
  VMOperation: admissionTrial(vmOperationAdmitter),
  VMSnapshot: admissionTrial(vmSnapshotAdmitter),
  VMTemplate: admissionTrial(vmTemplateAdmitter),
};

const kinds: readonly Kind[] = [
  virtualMachineAdmitter,
  vmOperationAdmitter,
  vmSnapshotAdmitter,
  vmTemplateAdmitter,
].map(({ kind }) => kind);

function filesIn(directory: string, start = ''): string[] {
  return readdirSync(new URL(directory, root))
    .filter((name) => name.startsWith(start))
    .map((name) => `${directory}/${name}`);
}

const text = (file: string) => readFileSync(new URL(file, root), 'utf8');

function ours(file: string): Manifest[] {
  const { documents, problems } = readManifest(text(file));
  expect(problems).toEqual([]);
  const objects = documents.map(({ object }) => object as Manifest);
  return objects.filter(({ apiVersion }) => apiVersion.startsWith('hypersdk.io/'));
}

/** Returns the objections of the API server to a manifest that kubectl sends with strict validation. */
function objections(manifest: Manifest): readonly string[] {
  const named = { ...manifest, metadata: { namespace: 'default', ...manifest.metadata } };
  const { causes, unknownFields, warnings } = trials[manifest.kind as keyof typeof trials](named);
  return [...causes, ...unknownFields, ...warnings];
}

const documented = filesIn('test/fixtures/documented', '002-');
const examples = filesIn('examples/hypersdk');

test('the examples include all four documented manifests and every kind', () => {
  expect(documented).toHaveLength(4);
  expect(new Set(examples.flatMap(ours).map(({ kind }) => kind))).toEqual(new Set(kinds.map(({ kind }) => kind)));
});

test.each([...documented, ...examples])('%s is accepted unchanged, without warnings', (file) => {
  const manifests = ours(file);
  expect(manifests).not.toHaveLength(0);
  expect(manifests.flatMap(objections)).toEqual([]);
});

test.each(examples)('%s explains its purpose in the first line', (file) => {
  expect(text(file).split('\n', 1)[0]).toMatch(/^# \S.*\.$/);
});

test('every operation has an example', () => {
  const shown = examples.flatMap(ours).map((manifest) => (manifest.spec as { operation?: string }).operation);
  const offered = vmOperation.schema.properties?.['spec']?.properties?.['operation']?.enum ?? [];
  expect(offered).toHaveLength(9);
  expect(new Set(shown)).toEqual(new Set([undefined, ...offered]));
});

test.each(kinds)('the example in the reference of $kind is accepted', ({ apiVersion, kind, example }) => {
  expect(objections({ apiVersion, kind, metadata: { name: example.name }, spec: example.spec })).toEqual([]);
});
