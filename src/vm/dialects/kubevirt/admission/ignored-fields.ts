import { NOT_ACTED_ON } from '#api/kubevirt/upstream';
import type { JsonSchema } from '#platform/schema/json-schema';

/** Part of a schema with fields that have no effect. Other parts are skipped. */
interface Place {
  readonly idle: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, Place>;
  readonly items?: Place;
}

/** Finds the fields of an object that are accepted but have no effect yet. */
export type FindIgnoredFields = (value: unknown) => string[];

/** Returns the finder for a schema. `except` names top-level fields that are reported elsewhere. */
export function ignoredFields(schema: JsonSchema, path: string, except: readonly string[] = []): FindIgnoredFields {
  const place = placeOf(schema, new Set(except));
  return (value) => {
    const found: string[] = [];
    if (place !== undefined) walk(value, place, path, found);
    return found;
  };
}

function placeOf(schema: JsonSchema, except: ReadonlySet<string>): Place | undefined {
  const idle = new Set<string>();
  const fields = new Map<string, Place>();
  for (const [field, inner] of Object.entries(schema.properties ?? {})) {
    if (except.has(field)) continue;
    if (inner.description === NOT_ACTED_ON) {
      idle.add(field);
      continue;
    }
    const place = placeOf(inner, NOTHING);
    if (place !== undefined) fields.set(field, place);
  }
  const items = schema.items === undefined ? undefined : placeOf(schema.items, NOTHING);
  if (idle.size === 0 && fields.size === 0 && items === undefined) return undefined;
  return { idle, fields, ...(items === undefined ? {} : { items }) };
}

const NOTHING: ReadonlySet<string> = new Set();

function walk(value: unknown, place: Place, path: string, found: string[]): void {
  if (Array.isArray(value)) {
    if (place.items === undefined) return;
    for (const [i, item] of value.entries()) walk(item, place.items, `${path}[${i}]`, found);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const field of Object.keys(value)) {
    if (place.idle.has(field)) found.push(`${path}.${field}`);
    const inner = place.fields.get(field);
    if (inner !== undefined) walk((value as Record<string, unknown>)[field], inner, `${path}.${field}`, found);
  }
}

/** Returns the warning for an ignored field. */
export function ignoredFieldWarning(path: string): string {
  return `${path}: accepted, but nothing acts on it yet`;
}
