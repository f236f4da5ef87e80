import type { KubeObject } from '../kube/kube-object.ts';
import { ApiError } from './api-error.ts';
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

/** Records nothing: ownership of fields is not kept yet. */
export const fieldManagement: FieldManagement = {
  record() {},
  apply() {
    throw new ApiError(501, 'NotImplemented', 'server-side apply is not served yet');
  },
};
