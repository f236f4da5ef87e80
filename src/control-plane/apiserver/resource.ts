import type { FieldError } from '#platform/base/field-error';
import type { Steps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import type { PatchSchema } from '#platform/kube/patches/patch-schema';
import type { SelectableFields } from '#platform/kube/selectors/selectable-fields';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { User } from './access/user.ts';
import type { ScalePaths } from './scale-paths.ts';
import type { ResourceTable } from './table/resource-table.ts';

/** Defines how objects of a kind are decoded, defaulted and validated, for built-in kinds and CRDs alike. */
export interface KindSchema {
  /**
   * Decodes a body, which the server owns, into an object of the kind. Unknown fields are dropped and reported. Throws
   * an ApiError if a value cannot be decoded at all, as Go's decoder would.
   */
  read(body: KubeObject): Steps<ReadObject>;
  /** Explains why an object that was assembled from parts is not of the kind, if that has a message of its own. */
  conversionProblem?(object: KubeObject): string | undefined;
  /** Set if reading does not modify the body and shares nothing with it. */
  readonly copies: boolean;
  /** Applies defaults in place. */
  applyDefaults(object: KubeObject): void;
  /**
   * Returns all reasons why the object cannot be stored. `old` is the stored object on update; `subresource` is the one
   * being written. `fits` means that the object was already validated against its schema in its current state.
   */
  validate(object: KubeObject, old?: KubeObject, subresource?: string, fits?: boolean): Steps<readonly FieldError[]>;
}

/** Holds a decoded object and the paths of its unknown fields. */
export interface ReadObject {
  readonly object: KubeObject;
  readonly unknown: readonly string[];
}

/** Defines how a kind differs from the behavior of all objects. */
export interface Strategy {
  /** Applies defaults that the schema cannot express; runs right after the schema's own. */
  defaults?(object: KubeObject): void;
  /**
   * Sets fields that the server controls on creation, such as an initial status. The object is defaulted but not yet
   * validated.
   */
  prepareCreate?(object: KubeObject, user: User): void;
  /** Carries over fields that a writer may not change. The status is already that of the stored object. */
  prepareUpdate?(object: KubeObject, old: KubeObject): void;
  /** Prepares a status update, which has taken everything but status (and metadata) from the stored object. */
  prepareStatusUpdate?(object: KubeObject, old: KubeObject): void;
  /** Validates what the schema cannot express. */
  validate?(object: KubeObject, old?: KubeObject): readonly FieldError[];
  /** Set if the server generates a name for an object that has none. */
  readonly namesNameless?: boolean;
  /** Set if errors in the metadata of a new object are reported only if there are no others. */
  readonly metadataLast?: boolean;
  /**
   * Validation for writes of a subresource that is a part of the object, by subresource name. It replaces that of a
   * normal write.
   */
  readonly parts?: ReadonlyMap<string, { validate(object: KubeObject, old?: KubeObject): readonly FieldError[] }>;
  /** Returns warnings for the writer. */
  warnings?(object: KubeObject, old?: KubeObject): readonly string[];
  /** Set if metadata.generation counts changes to everything but metadata and status. */
  readonly generation: boolean;
  /** Set if status is a subresource, so that other writes do not change it. */
  readonly status: boolean;
  /** Set if PUT creates an object that does not exist. */
  readonly createOnUpdate?: boolean;
  /** Set if PUT without a resourceVersion overwrites the object unconditionally. */
  readonly unconditionalUpdate?: boolean;
  /** Set if the response to a deletion is the last state of the object rather than a Status. */
  readonly answersDeleted?: boolean;
  /** Set if dependents are orphaned unless the request specifies a propagation policy. */
  readonly orphansByDefault?: boolean;
  /** Warning for deletions that do not specify a propagation policy. */
  readonly orphanWarning?: string;
  /** Marks an object whose deletion has just been requested. */
  onDelete?(object: KubeObject): void;
  /** Reports whether a deleted object must be retained for a reason other than its finalizers. */
  unfinished?(object: KubeObject): boolean;
  /** Returns the seconds between the deletion request and the removal. Absent if objects are removed at once. */
  graceSeconds?(object: KubeObject, requested: number | undefined): number;
}

/** Describes where the objects of a resource are stored. All its versions share one storage. */
export interface Storage {
  /** Key prefix; ends in `/`. */
  readonly prefix: string;
  /** The apiVersion that objects are stored in. */
  readonly apiVersion: string;
  readonly store: 'main' | 'events';
}

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
}

/** Describes one resource in one version. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  readonly storage: Storage;
  readonly shape: KindSchema;
  readonly strategy: Strategy;
  /** Structural schema of a custom resource. */
  readonly schema?: JsonSchema;
  readonly selectable: SelectableFields;
  readonly table: ResourceTable;
  /** Paths of the replica counts, if the resource has a scale subresource. */
  readonly scale?: ScalePaths;
  /** Merge rules for strategic merge patches. Absent if they are not supported. */
  readonly patchSchema?: PatchSchema;
  /** Converts stored objects to this version. Absent if they are stored in it. */
  readonly fromStorage?: (objects: readonly KubeObject[]) => readonly KubeObject[] | Promise<readonly KubeObject[]>;
  readonly toStorage?: (object: KubeObject) => KubeObject | Promise<KubeObject>;
  /** Warning for every client that requests this version. */
  readonly deprecation?: string;
  /** Ends all watches after they have received all events so far, because the resource has changed. */
  readonly ended?: AbortSignal;
  /** Set if the resource is defined by a CRD. */
  readonly custom: boolean;
}

export function apiVersionOf({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/**
 * Returns the key of an object; with an empty name the prefix of its namespace, with both empty that of the whole
 * resource.
 */
export function keyOf(resource: Resource, namespace: string, name: string): string {
  const { prefix } = resource.storage;
  if (!resource.namespaced) return `${prefix}${name}`;
  return namespace === '' ? prefix : `${prefix}${namespace}/${name}`;
}
