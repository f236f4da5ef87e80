import type { KubeObject, ManagedFieldsEntry } from '../kube/kube-object.ts';
import type { JsonObject } from '../kube/patches/json-object.ts';
import { ApiError } from './api-error.ts';
import { componentOf } from './builtin-resources.ts';
import { decodeBuiltIn } from './builtin-schema/decode.ts';
import { applyConfiguration } from './fields/apply.ts';
import { ApplyConflictError, ApplyError } from './fields/apply-error.ts';
import { type ManagedKind, updateManagedFields, type VersionedType } from './fields/managed-fields.ts';
import { resetFields } from './fields/reset-fields.ts';
import type { Type } from './fields/type.ts';
import { TypeSchemas } from './fields/type-schema.ts';
import schemas from './kubernetes/openapi-schemas.data.json' with { type: 'json' };
import { apiVersionOf, type Resource } from './resource.ts';

/** Who writes, as metadata.managedFields records it. */
export interface Writer {
  readonly manager: string;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly time: string;
}

/** Keeps metadata.managedFields, and applies configurations by what it says. */
export class FieldManagement {
  readonly #types = new TypeSchemas(schemas);
  readonly #kinds = new WeakMap<Resource, Map<string, ManagedKind>>();
  readonly #versionsOf: (resource: Resource) => Iterable<Resource>;

  /** `versionsOf` finds all versions in which a resource is served. */
  constructor(versionsOf: (resource: Resource) => Iterable<Resource>) {
    this.#versionsOf = versionsOf;
  }

  /** Records in `object` what an ordinary write changed against `live` (undefined on create). */
  record(resource: Resource, object: KubeObject, live: KubeObject | undefined, writer: Writer): void {
    const kind = this.#kindOf(resource, writer.subresource);
    if (kind === undefined) return;
    const { manager, time } = writer;
    setEntries(object, updateManagedFields(json(live), json(object), { kind, manager, time }));
  }

  /** The object after applying a configuration, which still has to be defaulted; throws a conflict unless forced. */
  apply(
    resource: Resource,
    config: KubeObject,
    live: KubeObject | undefined,
    { manager, subresource, time }: Writer,
    force: boolean,
  ): KubeObject {
    const kind = this.#kindOf(resource, subresource);
    if (kind === undefined) throw new ApiError(415, 'UnsupportedMediaType', `${resource.plural} cannot be applied to`);
    try {
      const applied = applyConfiguration(json(live), json(config), { kind, manager, time, force });
      const object = structuredClone(applied.object) as unknown as KubeObject;
      setEntries(object, applied.managedFields);
      return object;
    } catch (error) {
      throw refusal(error);
    }
  }

  #kindOf(resource: Resource, subresource: string): ManagedKind | undefined {
    const known = this.#kinds.get(resource) ?? new Map<string, ManagedKind>();
    this.#kinds.set(resource, known);
    const found = known.get(subresource);
    if (found !== undefined) return found;
    const type = this.#typeOf(resource);
    if (type === undefined) return undefined;
    const kind: ManagedKind = {
      ...this.#versioned(resource, type, subresource),
      kind: resource.kind,
      custom: resource.custom,
      subresource,
      version: (apiVersion) => this.#otherVersion(resource, apiVersion, subresource),
    };
    known.set(subresource, kind);
    return kind;
  }

  #versioned({ group, version, kind, custom, strategy }: Resource, type: Type, subresource: string): VersionedType {
    const apiVersion = apiVersionOf({ group, version });
    return {
      apiVersion,
      type,
      empty: custom ? {} : ((decodeBuiltIn(apiVersion, kind, {})?.object ?? {}) as JsonObject),
      reset: resetFields({ group, kind, subresource, hasStatus: strategy.status, custom }),
    };
  }

  /** Versions of one resource differ in nothing but their name, unless a webhook converts, which nobody can wait for here. */
  #otherVersion(resource: Resource, apiVersion: string, subresource: string) {
    for (const other of this.#versionsOf(resource)) {
      const type = apiVersionOf(other) === apiVersion ? this.#typeOf(other) : undefined;
      if (type === undefined) continue;
      const convert = (object: JsonObject): JsonObject => ({ ...object, apiVersion });
      return { ...this.#versioned(other, type, subresource), convert };
    }
    return undefined;
  }

  #typeOf({ custom, schema, group, version, kind }: Resource): Type | undefined {
    if (!custom) return this.#types.component(componentOf(group, version, kind));
    return this.#types.custom(schema ?? { type: 'object' });
  }
}

const json = <T extends KubeObject | undefined>(object: T) =>
  object as unknown as T extends undefined ? undefined : JsonObject;

function setEntries({ metadata }: KubeObject, entries: readonly unknown[] | undefined): void {
  if (entries === undefined) delete metadata.managedFields;
  else metadata.managedFields = entries as ManagedFieldsEntry[];
}

function refusal(error: unknown): unknown {
  if (error instanceof ApplyConflictError) {
    return new ApiError(error.status, error.reason, error.message, { causes: error.causes }, error);
  }
  return error instanceof ApplyError
    ? new ApiError(error.status, error.reason, error.message, undefined, error)
    : error;
}
