import type { KubeObject } from '../kube/kube-object.ts';
import type { Resource } from './resource.ts';

/** Who writes, as metadata.managedFields records it. */
export interface Writer {
  readonly manager: string;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly time: string;
}

/** Keeps metadata.managedFields, and applies configurations by what it says. */
export interface FieldManagement {
  /** Records in `object` what an ordinary write changed against `live` (undefined on create). */
  record(resource: Resource, object: KubeObject, live: KubeObject | undefined, writer: Writer): void;
  /** The object after applying a configuration; throws a conflict unless forced. */
  apply(
    resource: Resource,
    config: KubeObject,
    live: KubeObject | undefined,
    writer: Writer,
    force: boolean,
  ): KubeObject;
}
