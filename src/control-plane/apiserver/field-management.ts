import { runSteps, type Steps } from '#platform/base/steps';
import type { KubeObject, ManagedFieldsEntry } from '#platform/kube/kube-object';
import type { JsonObject } from '#platform/kube/patches/json-object';
import { ApiError } from './api-error.ts';
import { componentOf } from './builtin-resources.ts';
import { decodeBuiltIn } from './builtin-schema/decode.ts';
import { applyConfiguration, configurationApply } from './fields/apply.ts';
import { ApplyConflictError, ApplyError } from './fields/apply-error.ts';
import { type ManagedKind, managedFieldsUpdate } from './fields/managed-fields.ts';
import { builtInKind, customKind } from './fields/managed-kinds.ts';
import type { ManagedFieldsEntry as RecordedFields } from './fields/managers.ts';
import { fromScaleFields, type ReplicasPaths, toScaleFields } from './fields/scale-fields.ts';
import { TypeSchemas } from './fields/type-schema.ts';
import schemas from './kubernetes/openapi-schemas.data.json' with { type: 'json' };
import { apiVersionOf, type Resource } from './resource.ts';

/** Describes a writer as metadata.managedFields records it. */
export interface Writer {
  readonly manager: string;
  /** Subresource that is written; '' for the object itself. */
  readonly subresource: string;
  readonly time: string | undefined;
}

/** Maintains metadata.managedFields, and applies configurations by it. */
export class FieldManagement {
  readonly #types = new TypeSchemas(schemas);
  readonly #kinds = new WeakMap<Resource, Map<string, ManagedKind>>();
  readonly #versionsOf: (resource: Resource) => Iterable<Resource>;

  /** `versionsOf` returns all versions in which a resource is served. */
  constructor(versionsOf: (resource: Resource) => Iterable<Resource>) {
    this.#versionsOf = versionsOf;
  }

  /**
   * Records in `object` what a write other than apply changed compared to `live` (undefined on create). Call it before
   * admission: changes by plugins and allocators have no owner.
   */
  record(resource: Resource, object: KubeObject, live: KubeObject | undefined, writer: Writer): void {
    runSteps(this.recordInSteps(resource, object, live, writer));
  }

  /** Does the same as `record`, in steps. */
  *recordInSteps(resource: Resource, object: KubeObject, live: KubeObject | undefined, writer: Writer): Steps<void> {
    const { manager, time } = writer;
    const kind = this.#kindOf(resource, writer.subresource);
    setEntries(object, yield* managedFieldsUpdate(json(live), json(object), { kind, manager, time }));
  }

  /**
   * Returns the object after applying a configuration, in steps; throws a conflict unless forced. The result must still
   * be decoded, which copies it: below its metadata it shares values with the configuration and the live object.
   */
  *apply(
    resource: Resource,
    config: KubeObject,
    live: KubeObject | undefined,
    { manager, subresource, time }: Writer,
    force: boolean,
  ): Steps<KubeObject> {
    try {
      const kind = this.#kindOf(resource, subresource);
      const applied = yield* configurationApply(json(live), json(config), { kind, manager, time, force });
      const merged = applied.object as unknown as KubeObject;
      const object = { ...merged, metadata: { ...merged.metadata } };
      setEntries(object, applied.managedFields);
      return object;
    } catch (error) {
      throw refusal(error);
    }
  }

  /** Applies a configuration to the Scale of an object. Returns the Scale and the managed fields of the object. */
  applyScale(
    resource: Resource,
    config: KubeObject,
    live: { readonly scale: KubeObject; readonly owners: readonly ManagedFieldsEntry[] | undefined },
    { manager, time }: Writer,
    force: boolean,
  ): { readonly scale: KubeObject; readonly owners: readonly ManagedFieldsEntry[] } {
    const paths = replicasPaths([...this.#versionsOf(resource), resource]);
    const { scale } = live;
    const owners = live.owners as readonly RecordedFields[] | undefined;
    const known = { ...scale, metadata: { ...scale.metadata, managedFields: [...toScaleFields(owners, paths)] } };
    try {
      const applied = applyConfiguration(json(known), json(config), { kind: this.#scale, manager, time, force });
      const left = fromScaleFields(owners, applied.managedFields, paths, apiVersionOf(resource));
      return { scale: applied.object as unknown as KubeObject, owners: left };
    } catch (error) {
      throw refusal(error);
    }
  }

  get #scale(): ManagedKind {
    const name = { group: 'autoscaling', version: 'v1', kind: 'Scale', subresource: 'scale', hasStatus: false };
    return builtInKind(name, componentOf('autoscaling', 'v1', 'Scale'), {}, this.#types);
  }

  #kindOf(resource: Resource, subresource: string): ManagedKind {
    const known = this.#kinds.get(resource) ?? new Map<string, ManagedKind>();
    this.#kinds.set(resource, known);
    const kind = known.get(subresource) ?? this.#describe(resource, subresource);
    known.set(subresource, kind);
    return kind;
  }

  #describe(resource: Resource, subresource: string): ManagedKind {
    const { group, version, kind, strategy, custom } = resource;
    const name = { group, version, kind, subresource, hasStatus: strategy.status };
    if (!custom) {
      const empty = (decodeBuiltIn(apiVersionOf(resource), kind, {})?.object ?? {}) as JsonObject;
      return builtInKind(name, componentOf(group, version, kind), empty, this.#types);
    }
    const versions = [...this.#versionsOf(resource), resource];
    return customKind(
      name,
      new Map(versions.map((each) => [each.version, each.schema ?? { type: 'object' }])),
      this.#types,
    );
  }
}

function replicasPaths(versions: readonly Resource[]): ReplicasPaths {
  return new Map(
    versions.map((version) => {
      const path = version.scale?.spec.split('.').slice(1);
      return [apiVersionOf(version), path?.map((key) => `f:${key}`)];
    }),
  );
}

function json<T extends KubeObject | undefined>(object: T) {
  return object as unknown as T extends undefined ? undefined : JsonObject;
}

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
