import { isForbidden } from '#platform/kube/kube-error';
import { MachineStartError } from '../../machine-driver.ts';
import type { MachineSpec } from '../../machine-spec.ts';
import type { NodeObjects, ObjectContents, ObjectReference } from '../../node-objects.ts';
import { type InsufficientObject, ObjectWaitError } from '../../object-wait-error.ts';
import { type SeedReference, seedReferences } from './seed-references.ts';

type Entries = ObjectContents['entries'];

/** Contents of the objects that the first boot of a machine needs. They exist in memory only. */
export interface SeedContents {
  /** Returns the values of an object by key. One that is optional and missing has none. */
  entriesOf(kind: ObjectReference['kind'], name: string): Entries;
}

const keyOf = (kind: string, name: string) => `${kind}/${name}`;

/** Reads the objects of a machine. If some do not have what it needs, one error names them all. */
export async function readSeedContents(spec: MachineSpec, objects: NodeObjects): Promise<SeedContents> {
  const found = new Map<string, Entries>();
  const problems: string[] = [];
  const insufficient: InsufficientObject[] = [];
  for (const reference of seedReferences(spec)) {
    const contents = await read(reference, objects);
    if (contents !== undefined) found.set(keyOf(reference.kind, reference.name), contents.entries);
    const problem = problemOf(reference, contents?.entries);
    if (problem === undefined) continue;
    const { kind, namespace, name, field } = reference;
    problems.push(`${kind} "${namespace}/${name}" ${problem} (${field})`);
    insufficient.push({ reference, ...(contents === undefined ? {} : { version: contents.version }) });
  }
  if (problems.length > 0) throw new ObjectWaitError(problems.join('; '), objects, insufficient);
  return { entriesOf: (kind, name) => found.get(keyOf(kind, name)) ?? {} };
}

async function read(reference: SeedReference, objects: NodeObjects): Promise<ObjectContents | undefined> {
  try {
    return await objects.read(reference);
  } catch (error) {
    // A launcher pod of an earlier version does not refer to all objects, so that its node may not read them.
    if (isForbidden(error)) throw new MachineStartError(`${reference.field}: ${String(error)}`, { cause: error });
    throw error;
  }
}

/** Returns what an object lacks, undefined if nothing. */
function problemOf({ optional, needs }: SeedReference, entries: Entries | undefined): string | undefined {
  if (entries === undefined) return optional === true ? undefined : 'not found';
  const keys = new Set(Object.keys(entries).map((key) => key.toLowerCase()));
  if (needs === undefined || needs.some((key) => keys.has(key))) return undefined;
  return `has no key ${needs.join(' or ')}`;
}
