import { jsonEqual } from '#platform/base/json-equal';

/** Metadata that garbage collection writes, and that the server maintains itself. */
const OWNER_FIELDS = new Set(['ownerReferences', 'finalizers', 'managedFields', 'selfLink']);

/**
 * Reports whether an update changes only owner references and finalizers. Everything else matters for access control: a
 * label alone can make one role a part of another.
 */
export function changesOnlyOwnerFields(object: object, old: object): boolean {
  return jsonEqual(guardedPart(object), guardedPart(old));
}

function guardedPart(object: object): unknown {
  const { metadata = {}, ...content } = object as { readonly metadata?: object };
  const guarded = Object.entries(metadata).filter(([name]) => !OWNER_FIELDS.has(name));
  return withoutEmpty({ ...content, metadata: Object.fromEntries(guarded) });
}

/**
 * Drops empty lists and maps, which equal absent ones. An empty string stays, because it can be the value of a label.
 */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const kept = Object.entries(value)
    .map(([name, item]) => [name, withoutEmpty(item)] as const)
    .filter(([, item]) => item !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
