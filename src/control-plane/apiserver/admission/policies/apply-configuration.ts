import type { KubeObject } from '#platform/kube/kube-object';
import { isList, isObject, type JsonObject } from '#platform/kube/patches/json-object';
import type { Json } from '#platform/schema/json-schema';
import { componentOf } from '../../builtin-resources.ts';
import { mergeTyped } from '../../fields/merge.ts';
import { DEDUCED, LIST, MAP, shapesOf, type Type } from '../../fields/type.ts';
import { TypeSchemas } from '../../fields/type-schema.ts';
import { typeErrors } from '../../fields/validate.ts';
import schemas from '../../kubernetes/openapi-schemas.data.json' with { type: 'json' };
import type { Resource } from '../../resource.ts';

/** Reason why an apply configuration cannot be applied. */
export class ApplyConfigurationError extends Error {}

const TYPES = new TypeSchemas(schemas);
const known = new WeakMap<Resource, Type>();

function typeOf(resource: Resource): Type {
  const type = known.get(resource) ?? describe(resource);
  known.set(resource, type);
  return type;
}

function describe({ group, version, kind, custom, schema }: Resource): Type {
  if (custom) return TYPES.custom(schema ?? { type: 'object' });
  return TYPES.component(componentOf(group, version, kind)) ?? DEDUCED;
}

/** Merges an apply configuration into an object. Atomic fields cannot be changed in part. */
export function withConfiguration(resource: Resource, object: KubeObject, config: unknown): KubeObject {
  const type = typeOf(resource);
  const { apiVersion, kind, metadata } = object;
  const given = { ...(config as JsonObject), apiVersion, kind };
  const wrong = typeErrors(given, type);
  if (wrong !== undefined) {
    throw new ApplyConfigurationError(`error applying patch: failed to convert patch object to typed object: ${wrong}`);
  }
  const atomic: string[] = [];
  collectAtomic(given, type, '', atomic);
  if (atomic.length > 0) {
    throw new ApplyConfigurationError(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`,
    );
  }
  const merged = structuredClone(mergeTyped(object as unknown as JsonObject, given, type)) as unknown as KubeObject;
  // The identity of the object never comes from the configuration.
  for (const field of ['name', 'namespace', 'uid', 'generateName'] as const) {
    if (metadata[field] === undefined) delete merged.metadata[field];
    else merged.metadata[field] = metadata[field];
  }
  return merged;
}

function collectAtomic(value: Json, type: Type, path: string, found: string[]): void {
  const shapes = shapesOf(type, value);
  if (isObject(value) && (shapes & MAP) !== 0 && type.map !== undefined) {
    if (type.map.atomic) {
      found.push(path);
      return;
    }
    for (const name of Object.keys(value).sort()) {
      const inner = type.map.field(name)?.type ?? type.map.entries ?? DEDUCED;
      collectAtomic(value[name] as Json, inner, `${path}.${name}`, found);
    }
  } else if (isList(value) && (shapes & LIST) !== 0 && type.list !== undefined) {
    if (type.list.atomic) {
      found.push(path);
      return;
    }
    for (const [i, item] of value.entries()) collectAtomic(item, type.list.items, `${path}[${i}]`, found);
  }
}
