import { type FieldError, formatFieldError } from '#platform/base/field-error';
import type { KubeMeta, KubeObject } from '#platform/kube/kube-object';
import { validateMeta } from '#platform/structural/object-meta';

type Container = Readonly<Record<string, unknown>>;

/** Either the usable object or the problem with it. */
export type RestoredMetadata = { readonly object: KubeObject } | { readonly problem: string };

/** Restores the metadata of the original after a conversion: a webhook may change only labels and annotations. */
export function withMetadataOf(
  original: KubeObject,
  converted: unknown,
  apiVersion: string,
  index: number,
): RestoredMetadata {
  if (!isContainer(converted)) return { problem: `invalid converted object at index ${index}: not an object` };
  const { kind = '', apiVersion: received = '' } = converted;
  if (received !== apiVersion) {
    const what = `invalid groupVersion (expected ${apiVersion}, received ${String(received)})`;
    return { problem: `invalid object at index ${index}: ${what}` };
  }
  if (kind !== original.kind) {
    const what = `invalid kind (expected ${original.kind}, received ${String(kind)})`;
    return { problem: `invalid object at index ${index}: ${what}` };
  }
  const metadata = isContainer(converted['metadata']) ? converted['metadata'] : {};
  const moved = identityProblem(original.metadata, metadata);
  if (moved !== undefined) return { problem: `invalid object: ${moved}` };
  const kept: Record<string, unknown> = { ...original.metadata };
  for (const field of ['labels', 'annotations'] as const) {
    const problem = takeOver(field, metadata[field], kept);
    if (problem !== undefined) return { problem: `invalid metadata: ${problem}` };
  }
  return { object: { ...(converted as unknown as KubeObject), metadata: kept } };
}

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function identityProblem(before: KubeMeta, after: Container): string | undefined {
  for (const [field, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [was, is] = [before[field] ?? '', after[field] ?? ''];
    if (was !== is) return `must have the same ${name}: ${was} != ${typeof is === 'string' ? is : JSON.stringify(is)}`;
  }
  return undefined;
}

function takeOver(field: 'labels' | 'annotations', value: unknown, into: Record<string, unknown>): string | undefined {
  delete into[field];
  if (value === undefined || value === null) return undefined;
  if (!isContainer(value)) return `invalid metadata.${field} of type ${goType(value)} in converted object`;
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === 'string') continue;
    return `metadata.${field}[${key}] must be a string, but is ${goType(text)} in converted object`;
  }
  const causes = validateMeta({ name: 'x', [field]: value });
  if (causes.length > 0) return aggregate(causes);
  into[field] = value;
  return undefined;
}

function aggregate(causes: readonly FieldError[]): string {
  const texts = [...new Set(causes.map(formatFieldError))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'object' ? 'map[string]interface {}' : typeof value;
}
