import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes src/api/kubevirt/upstream.data.json: the fields of KubeVirt 1.9's public API with their types.
 * Usage: node tools/kubevirt-fields.ts DATA, where DATA contains kubevirt-1.9/ and kubernetes-1.36/ with the OpenAPI
 * definitions of both (field names, types and required marks; no prose).
 */

interface Source {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Source>>;
  readonly additionalProperties?: Source;
  readonly items?: Source;
  readonly [keyword: string]: unknown;
}
type Definition = Record<string, unknown>;

const ROOTS = [
  'v1.VirtualMachineSpec',
  'v1.VirtualMachineStatus',
  'v1.VirtualMachineInstanceSpec',
  'v1.VirtualMachineInstanceStatus',
  'v1.VirtualMachineInstanceMigrationSpec',
  'v1.VirtualMachineInstanceMigrationStatus',
];

/** Types that src/api/kubevirt/upstream.ts knows by name, because JSON schema expresses them in its own way. */
const SPECIAL: Readonly<Record<string, string>> = {
  'k8s.io.apimachinery.pkg.api.resource.Quantity': 'Quantity',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Time': 'Time',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Duration': 'Duration',
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString': 'IntOrString',
  'k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta': 'ObjectMeta',
  'k8s.io.apimachinery.pkg.runtime.RawExtension': 'AnyObject',
  // Admission rejects it, so its many fields need no schema.
  'v1.DataVolumeTemplateSpec': 'AnyObject',
};

/** Keywords that are kept. Go's zero values are not defaults, and custom resources have no patch strategies. */
const RETAINED = new Set([
  'enum',
  'format',
  'nullable',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
]);

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: node tools/kubevirt-fields.ts DATA');
const kubevirt = read('kubevirt-1.9');
const kubernetes = read('kubernetes-1.36');

function read(name: string): Readonly<Record<string, Source>> {
  return JSON.parse(readFileSync(join(folder ?? '', name, 'openapi-schemas.json'), 'utf8'));
}

/** Returns the name in `#/definitions/x` or `#/components/schemas/io.x`: x, with Kubernetes' reversed domain undone. */
function nameOf(ref: string): string {
  return (ref.split('/').at(-1) ?? '').replace(/^io\.k8s\./, 'k8s.io.');
}

/**
 * Shortens KubeVirt's own types to their bare name, and prefixes those of Kubernetes' core group, since some names
 * exist in both.
 */
function shortName(name: string): string {
  return name
    .replace(/^v1\./, '')
    .replace(/^k8s\.io\.api\.core\.v1\./, 'core.')
    .replace(/^k8s\.io\..*\.v1\./, 'meta.');
}

function lookUp(name: string): Source {
  const source = kubevirt[name] ?? kubernetes[name.replace(/^k8s\.io\./, 'io.k8s.')];
  if (source === undefined) throw new Error(`no definition of ${name}`);
  return source;
}

const definitions: Record<string, Definition> = {};
const queue = [...ROOTS];
for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
  if (shortName(name) in definitions) continue;
  definitions[shortName(name)] = convert(lookUp(name), (reference) => queue.push(reference));
}
const sorted = Object.keys(definitions).sort();
const lines = sorted.map((name) => `${JSON.stringify(name)}:${JSON.stringify(definitions[name])}`);
const target = join(import.meta.dirname, '../src/api/kubevirt/upstream.data.json');
writeFileSync(target, `{\n${lines.join(',\n')}\n}\n`);
console.log(`${sorted.length} definitions`);

/** Converts one schema of the source to a structural schema. Other definitions stay references by name. */
function convert(source: Source, found: (name: string) => void): Definition {
  if (source.$ref !== undefined) {
    const name = nameOf(source.$ref);
    const special = SPECIAL[name];
    if (special === undefined) found(name);
    return { $ref: special ?? shortName(name) };
  }
  const result: Definition = {};
  const types = [source.type ?? 'object'].flat();
  // The only unions are nullable times.
  if (types.includes('null')) return { $ref: 'Time' };
  result.type = types[0];
  for (const [keyword, value] of Object.entries(source)) if (RETAINED.has(keyword)) result[keyword] = value;
  if (source.items !== undefined) result.items = convert(source.items, found);
  if (source.additionalProperties !== undefined) {
    result.additionalProperties = convert(source.additionalProperties, found);
  }
  if (source.properties !== undefined) {
    const entries = Object.entries(source.properties);
    result.properties = Object.fromEntries(entries.map(([field, schema]) => [field, convert(schema, found)]));
  }
  return result;
}
