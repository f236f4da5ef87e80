import data from '../kubernetes/openapi-schemas.data.json' with { type: 'json' };
import goData from './go-types.data.json' with { type: 'json' };

/** A schema as in the OpenAPI v3 of the API server, with unresolved references. */
export interface OpenApiSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema;
  readonly items?: OpenApiSchema;
  readonly default?: unknown;
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

const SCHEMAS = data as unknown as Readonly<Record<string, OpenApiSchema>>;
const GO_TYPES = goData as unknown as Readonly<Record<string, Readonly<Record<string, string>>>>;

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** Kinds that belong to every group. */
const EVERYWHERE: ReadonlySet<string> = new Set(['DeleteOptions', 'Status', 'WatchEvent']);

/** Returns the schema of a name such as io.k8s.api.core.v1.Pod. */
export function openApiSchema(name: string): OpenApiSchema | undefined {
  return Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
}

/** Returns the name of the schema of a kind, undefined if the kind is not built in. */
export function schemaNameOf(apiVersion: string, kind: string): string | undefined {
  names ??= index();
  return names.get(`${apiVersion}/${kind}`) ?? (EVERYWHERE.has(kind) ? META + kind : undefined);
}

let names: ReadonlyMap<string, string> | undefined;

function index(): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
      found.set(`${group === '' ? version : `${group}/${version}`}/${kind}`, name);
    }
  }
  return found;
}

/** Returns the name that a reference ends in. */
export function referencedName(schema: OpenApiSchema): string | undefined {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference?.slice(reference.lastIndexOf('/') + 1);
}

/**
 * Properties of a Go struct field as Kubernetes 1.36 declares it, which OpenAPI leaves out but encoding and errors
 * depend on. Each flag is one letter: r = written even when empty, p = a pointer, P = a pointer written as null when
 * absent, v = a structure written even when empty, z = a structure left out when it is zero, n = a list or map written
 * as null when empty, i = a structure whose fields are inlined in its parent.
 */
export interface GoField {
  readonly flag: string;
  /** Go type, if it does not follow from the schema. */
  readonly type?: string;
  /** Name in protobuf, if it differs from the one in JSON. */
  readonly protobuf?: string;
}

/** Returns the fields of a structure that differ from the schema, by JSON name (by Go name if inlined). */
export function goFields(name: string): ReadonlyMap<string, GoField> {
  let fields = parsed.get(name);
  if (fields === undefined) {
    fields = new Map(Object.entries(GO_TYPES[name] ?? {}).map(([field, text]) => [field, parseGoField(text)]));
    parsed.set(name, fields);
  }
  return fields;
}

const parsed = new Map<string, ReadonlyMap<string, GoField>>();

function parseGoField(text: string): GoField {
  const [flag = '', ...rest] = text.split(' ');
  const protobuf = rest.find((part) => part.startsWith('='))?.slice(1);
  const type = rest.find((part) => !part.startsWith('='));
  return { flag, ...(type === undefined ? {} : { type }), ...(protobuf === undefined ? {} : { protobuf }) };
}
