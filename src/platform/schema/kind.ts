import type { CelRule, Json, JsonSchema } from './json-schema.ts';
import type { OutputOf, Schema, SchemaInputOf } from './schema.ts';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** JSONPath in the form that CRDs use: `.status.phase`. */
  readonly path: string;
  readonly description: string;
  /** Shows the column only in `kubectl get -o wide`. */
  readonly wide?: boolean;
}

export interface Scale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string;
}

interface Definition<G extends string, V extends string, K extends string, Spec extends Schema, Status extends Schema> {
  readonly group: G;
  /** Stored version first, followed by older versions that are served with the same schema. */
  readonly versions: readonly [V, ...string[]];
  readonly kind: K;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly spec: Spec;
  readonly status: Status;
  readonly columns: readonly Column[];
  readonly scale?: Scale;
  /** Rules over the whole object, for constraints that involve both spec and metadata. */
  readonly rules?: readonly CelRule[];
  /** Small working manifest, shown in the reference. */
  readonly example: { readonly name: string; readonly spec: NonNullable<SchemaInputOf<Spec>> };
}

/**
 * One resource kind, from which the CRD, reference, types, admission and the API server's validation derive. Every kind
 * is namespaced, has a status subresource and belongs to the category `vimana`.
 */
export interface Kind<
  G extends string = string,
  V extends string = string,
  K extends string = string,
  Spec extends Schema = Schema,
  Status extends Schema = Schema,
> extends Definition<G, V, K, Spec, Status> {
  readonly singular: string;
  readonly categories: readonly string[];
  /** Schema of the whole object. */
  readonly schema: JsonSchema;
  readonly apiVersion: `${G}/${V}`;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Fields of `metadata` that a user may write. */
export interface InputMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Fields of `metadata` in a stored object. */
export interface ObjectMeta extends InputMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly managedFields?: readonly Readonly<Record<string, Json>>[];
}

/** Object as a user may write it: fields with a default are optional, and there is no status. */
export type InputOf<K extends Kind> =
  K extends Kind<infer G, infer V, infer Name, infer Spec, infer _Status>
    ? {
        readonly apiVersion: `${G}/${V}`;
        readonly kind: Name;
        readonly metadata: InputMeta;
        readonly spec: SchemaInputOf<Spec>;
      }
    : never;

/** Object as a reader gets it after defaulting. */
export type ObjectOf<K extends Kind> =
  K extends Kind<infer G, infer V, infer Name, infer Spec, infer Status>
    ? {
        readonly apiVersion: `${G}/${V}`;
        readonly kind: Name;
        readonly metadata: ObjectMeta;
        readonly spec: OutputOf<Spec>;
        readonly status?: OutputOf<Status>;
      }
    : never;

export function defineKind<
  G extends string,
  V extends string,
  K extends string,
  Spec extends Schema,
  Status extends Schema,
>(definition: Definition<G, V, K, Spec, Status>): Kind<G, V, K, Spec, Status> {
  const rules = definition.rules;
  return {
    ...definition,
    singular: definition.kind.toLowerCase(),
    categories: ['vimana'],
    apiVersion: `${definition.group}/${definition.versions[0]}`,
    schema: {
      type: 'object',
      description: definition.description,
      required: ['spec'],
      properties: {
        apiVersion: { type: 'string', description: 'The API group and version of this object.' },
        kind: { type: 'string', description: 'The kind of this object.' },
        // The API server describes metadata itself and allows nothing but the type here.
        metadata: { type: 'object' },
        spec: definition.spec.json,
        status: definition.status.json,
      },
      ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
    },
  };
}
