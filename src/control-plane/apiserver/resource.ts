import type { FieldError } from '#platform/base/field-error';
import type { Steps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import type { PatchSchema } from '#platform/kube/patches/patch-schema';
import type { SelectableFields } from '#platform/kube/selectors/selectable-fields';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { User } from './access/user.ts';
import type { ScalePaths } from './subresources/scale.ts';
import type { ResourceTable } from './table/resource-table.ts';

/** What the API server knows of the shape of a kind; built-in kinds and CustomResourceDefinitions alike. */
export interface KindSchema {
  /**
   * Makes an object of the kind of a body, which belongs to the server: fields that the kind does not have are left out
   * and named. Throws an ApiError where a value cannot be decoded at all, as Go's decoder would.
   */
  read(body: KubeObject): Steps<ReadObject>;
  /** Why an object that was put together from parts is not of the kind, where there are words of their own for that. */
  conversionProblem?(object: KubeObject): string | undefined;
  /** Whether reading leaves the body as it is, and shares nothing with it. */
  readonly copies: boolean;
  /** Fills in defaults in place. */
  applyDefaults(object: KubeObject): void;
  /**
   * All causes why the object cannot be stored; `old` is the stored one on update, of a subresource where one is named.
   * `fits`: it was held against its schema already, as it is.
   */
  validate(object: KubeObject, old?: KubeObject, subresource?: string, fits?: boolean): Steps<readonly FieldError[]>;
}

/** A body as an object of its kind, and the paths of fields that the kind does not have. */
export interface ReadObject {
  readonly object: KubeObject;
  readonly unknown: readonly string[];
}

/** How a kind departs from what all objects do. */
export interface Strategy {
  /** Fills in what the shape's own defaults cannot say; runs right after them. */
  defaults?(object: KubeObject): void;
  /** Sets what the server decides on creation, such as a first status; the object is defaulted and not yet validated. */
  prepareCreate?(object: KubeObject, user: User): void;
  /** Carries over what a writer may not change; status is already that of the stored object. */
  prepareUpdate?(object: KubeObject, old: KubeObject): void;
  /** The same for a write of the status, which has taken everything but status (and metadata) from the stored object. */
  prepareStatusUpdate?(object: KubeObject, old: KubeObject): void;
  /** What the shape cannot say. */
  validate?(object: KubeObject, old?: KubeObject): readonly FieldError[];
  /** Whether the server names an object that nobody names. */
  readonly namesNameless?: boolean;
  /** Whether what is wrong with the metadata of a new object is told only where nothing else is. */
  readonly metadataLast?: boolean;
  /** What is asked instead of a write of a subresource that is a part of the object, by its name. */
  readonly parts?: ReadonlyMap<string, { validate(object: KubeObject, old?: KubeObject): readonly FieldError[] }>;
  /** Warnings for the writer. */
  warnings?(object: KubeObject, old?: KubeObject): readonly string[];
  /** Whether metadata.generation counts the changes of everything but metadata and status. */
  readonly generation: boolean;
  /** Whether the status has a subresource of its own, so that ordinary writes leave it alone. */
  readonly status: boolean;
  /** Whether PUT creates an object that is not there. */
  readonly createOnUpdate?: boolean;
  /** Whether PUT without a resourceVersion overwrites whatever is there. */
  readonly unconditionalUpdate?: boolean;
  /** Whether the answer to a deletion is the last state of the object, not only that it is gone. */
  readonly answersDeleted?: boolean;
  /** Whether dependents stay when nobody says what becomes of them. */
  readonly orphansByDefault?: boolean;
  /** What is told to those who delete and do not say what shall become of dependents. */
  readonly orphanWarning?: string;
  /** Marks an object whose deletion has just been asked for. */
  onDelete?(object: KubeObject): void;
  /** Whether a deleted object has still to wait, beside its finalizers. */
  unfinished?(object: KubeObject): boolean;
  /** Seconds between the deletion of an object and its end; absent where objects end at once. */
  graceSeconds?(object: KubeObject, asked: number | undefined): number;
}

/** Where the objects of a resource are kept; all its versions share one. */
export interface Storage {
  /** Ends in `/`. */
  readonly prefix: string;
  /** The apiVersion that is written down. */
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

/** One resource in one version. */
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
  /** The structural schema of a custom resource. */
  readonly schema?: JsonSchema;
  readonly selectable: SelectableFields;
  readonly table: ResourceTable;
  /** Where its number of replicas stands, if it has a scale subresource. */
  readonly scale?: ScalePaths;
  /** How strategic merge patches merge; absent where they are not understood. */
  readonly patchSchema?: PatchSchema;
  /** Turns stored objects into this version; absent where they are stored in it. */
  readonly fromStorage?: (objects: readonly KubeObject[]) => readonly KubeObject[] | Promise<readonly KubeObject[]>;
  readonly toStorage?: (object: KubeObject) => KubeObject | Promise<KubeObject>;
  /** Told to everybody who asks for this version. */
  readonly deprecation?: string;
  /** Ends all watches, once those open have been told of everything so far: the resource is no longer what it was. */
  readonly ended?: AbortSignal;
  /** Whether the resource is a user's, by CustomResourceDefinition. */
  readonly custom: boolean;
}

export function apiVersionOf({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The key of an object; with an empty name the prefix of its namespace, with both empty that of the whole resource. */
export function keyOf(resource: Resource, namespace: string, name: string): string {
  const { prefix } = resource.storage;
  if (!resource.namespaced) return `${prefix}${name}`;
  return namespace === '' ? prefix : `${prefix}${namespace}/${name}`;
}
