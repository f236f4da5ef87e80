import type { JsonObject } from '#platform/kube/patches/json-object';
import type { ManagedKind, VersionedType } from './managed-fields.ts';
import { resetFields } from './reset-fields.ts';
import type { Type } from './type.ts';
import type { TypeSchemas, TypeSource } from './type-schema.ts';

/** Empty object. Its metadata always exists, and has no owner. */
const EMPTY_OBJECT: JsonObject = { metadata: {} };

/** Identifies the kind that a request writes, in the version that it uses. */
export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Subresource; '' for the resource itself. */
  readonly subresource: string;
  readonly hasStatus: boolean;
}

/** Returns a built-in kind, given its OpenAPI component and an empty object. */
export function builtInKind(name: KindName, component: string, empty: JsonObject, types: TypeSchemas): ManagedKind {
  const type = types.component(component);
  if (type === undefined) throw new Error(`schema ${component} not found`);
  const apiVersion = apiVersionOf(name);
  const reset = resetFields({ ...name, custom: false });
  return { apiVersion, kind: name.kind, type, empty, reset, subresource: name.subresource, custom: false };
}

/**
 * Returns a custom resource, given the structural schemas of all served versions by name, and a conversion to another
 * version, which by default only changes the apiVersion.
 */
export function customKind(
  name: KindName,
  schemas: ReadonlyMap<string, TypeSource>,
  types: TypeSchemas,
  convert: (object: JsonObject, apiVersion: string) => JsonObject = (object, apiVersion) => ({ ...object, apiVersion }),
): ManagedKind {
  const reset = resetFields({ ...name, custom: true });
  const read = new Map<string, Type>();
  const typeOf = (version: string): Type | undefined => {
    const schema = schemas.get(version);
    if (schema === undefined) return undefined;
    const type = read.get(version) ?? types.custom(schema);
    read.set(version, type);
    return type;
  };
  const viewOf = (apiVersion: string): VersionedType | undefined => {
    const [group, version = ''] = apiVersion.split('/');
    const type = group === name.group ? typeOf(version) : undefined;
    return type === undefined ? undefined : { apiVersion, type, empty: EMPTY_OBJECT, reset };
  };
  const own = viewOf(apiVersionOf(name));
  if (own === undefined) throw new Error(`schema of ${name.kind} in ${name.version} not found`);
  return {
    ...own,
    kind: name.kind,
    subresource: name.subresource,
    custom: true,
    version: (apiVersion) => {
      const view = viewOf(apiVersion);
      return view === undefined ? undefined : { ...view, convert: (object) => convert(object, apiVersion) };
    },
  };
}

function apiVersionOf({ group, version }: KindName): string {
  return group === '' ? version : `${group}/${version}`;
}
