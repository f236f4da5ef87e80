import descriptor from '../kubernetes/protobuf.data.json' with { type: 'json' };
import { type GoField, goFields, openApiSchema } from './kinds.ts';

/** A structure of a built-in kind: a protobuf message, and the mapping of its fields to JSON. */
export interface MessageShape {
  /** Full protobuf name such as k8s.io.api.core.v1.Pod. */
  readonly name: string;
  /** Last part of the name, which is Go's name of the structure. */
  readonly struct: string;
  /** True if it has `kind` and `apiVersion`, which protobuf has in an envelope instead. */
  readonly typed: boolean;
  readonly byId: ReadonlyMap<number, MessageField>;
  /** Fields by JSON name. Those of inlined structures are found through `inlined`. */
  readonly byJson: ReadonlyMap<string, MessageField>;
  readonly inlined: readonly MessageField[];
  /** Fields that are in JSON even if they are not on the wire. */
  readonly unasked: readonly MessageField[];
}

export type Scalar = 'string' | 'bytes' | 'bool' | 'int32' | 'int64' | 'double';

export interface MessageField {
  readonly id: number;
  readonly json: string;
  readonly container: 'one' | 'list' | 'map';
  /** Scalar type, or the name of a message. */
  readonly type: Scalar | (string & {});
  readonly scalar: boolean;
  readonly inline: boolean;
  /** True if its bytes are text or another message, and not base64 in JSON. */
  readonly raw: boolean;
  /** Go type such as []v1.Container. */
  readonly goType: string;
  /** Go type of one item of a list or map. */
  readonly itemType: string;
  /** True if an empty or zero value is omitted in JSON. */
  readonly omitsZero: boolean;
  /** JSON value of a field that is not on the wire. */
  readonly absent: 'nothing' | 'zero' | 'null';
}

interface Namespace {
  readonly nested?: Readonly<Record<string, Namespace>>;
  readonly fields?: Readonly<Record<string, Declared>>;
}

interface Declared {
  readonly id: number;
  readonly type: string;
  readonly rule?: string;
  readonly keyType?: string;
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'double']);
const ROOT = descriptor as unknown as Namespace;

const flexOptions: Declared = { keyType: 'string', type: 'string', id: 5 };
/** Fields named `options`, which the descriptor lost because it takes the name for a keyword. */
const OPTIONS: Readonly<Record<string, Declared>> = {
  'k8s.io.api.core.v1.FlexPersistentVolumeSource': flexOptions,
  'k8s.io.api.core.v1.FlexVolumeSource': flexOptions,
  'k8s.io.api.core.v1.PodDNSConfig': { rule: 'repeated', type: 'PodDNSConfigOption', id: 3 },
};

const shapes = new Map<string, MessageShape>();

/** Returns the shape of a message by its full name. Each is built on first use. */
export function messageShape(name: string): MessageShape {
  let shape = shapes.get(name);
  if (shape === undefined) {
    shape = shapeOf(name);
    shapes.set(name, shape);
  }
  return shape;
}

/** Returns the message of a schema: io.k8s.api.core.v1.Pod is k8s.io.api.core.v1.Pod in protobuf. */
export function messageNameOf(schemaName: string): string {
  return schemaName.replace(/^io\.k8s\./, 'k8s.io.').replaceAll('-', '_');
}

export function isMessage(name: string): boolean {
  return find(name)?.fields !== undefined;
}

function find(name: string): Namespace | undefined {
  let at: Namespace | undefined = ROOT;
  for (const part of name.split('.')) {
    at = at?.nested !== undefined && Object.hasOwn(at.nested, part) ? at.nested[part] : undefined;
  }
  return at;
}

function shapeOf(name: string): MessageShape {
  const schemaName = name.replace(/^k8s\.io\./, 'io.k8s.').replace(/(apiextensions|kube)_/, '$1-');
  const go = goFields(schemaName);
  const properties = openApiSchema(schemaName)?.properties ?? {};
  const byProtobuf = new Map(
    [...go].map(([key, field]) => [field.protobuf ?? (field.flag === 'i' ? uncapitalize(key) : key), { key, field }]),
  );
  const byId = new Map<number, MessageField>();
  const options = OPTIONS[name];
  const declaredFields = { ...find(name)?.fields, ...(options === undefined ? {} : { options }) };
  for (const [protoName, declared] of Object.entries(declaredFields)) {
    const { key = protoName, field } = byProtobuf.get(protoName) ?? {};
    byId.set(declared.id, fieldOf(name, key, declared, field ?? { flag: '' }));
  }
  const fields = [...byId.values()];
  const inlined = fields.filter((field) => field.inline);
  const byJson = new Map(fields.filter((field) => !field.inline).map((field) => [field.json, field]));
  return {
    name,
    struct: name.slice(name.lastIndexOf('.') + 1),
    typed: 'kind' in properties && 'apiVersion' in properties && !byJson.has('kind'),
    byId,
    byJson,
    inlined,
    unasked: [
      ...fields.filter((field) => !field.inline && field.absent !== 'nothing'),
      ...inlined.flatMap((field) => messageShape(field.type).unasked),
    ],
  };
}

function uncapitalize(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function fieldOf(message: string, json: string, declared: Declared, { flag, type: goType }: GoField): MessageField {
  const scalar = SCALARS.has(declared.type);
  const container = declared.keyType !== undefined ? 'map' : declared.rule === 'repeated' ? 'list' : 'one';
  const type = scalar ? declared.type : resolve(declared.type, message);
  const single = scalar && container === 'one' && declared.type !== 'bytes';
  const known = goType ?? `${container === 'list' ? '[]' : container === 'map' ? 'map[string]' : ''}${goTypeOf(type)}`;
  return {
    id: declared.id,
    json,
    container,
    type,
    scalar,
    inline: flag === 'i',
    raw: type === 'bytes' && json.toLowerCase() === 'raw',
    goType: known,
    itemType: /^(?:\[\]|map\[[\w.]+\])(.*)$/.exec(known)?.[1] ?? goTypeOf(type),
    omitsZero: flag === 'z' || (flag === '' && (scalar || container !== 'one')),
    absent: flag === 'P' || flag === 'n' ? 'null' : flag === 'v' || (flag === 'r' && single) ? 'zero' : 'nothing',
  };
}

/** Returns the Go type of one value, with the last part of its package. */
export function goTypeOf(type: string): string {
  if (type === 'bytes') return '[]uint8';
  if (type === 'double') return 'float64';
  return type.split('.').slice(-2).join('.');
}

/**
 * Resolves a type name inside a message: it is absolute after a dot, else relative to the nearest package that has it.
 */
function resolve(type: string, inside: string): string {
  if (type.startsWith('.')) return type.slice(1);
  for (let scope = inside; scope !== ''; scope = scope.slice(0, Math.max(0, scope.lastIndexOf('.')))) {
    if (isMessage(`${scope}.${type}`)) return `${scope}.${type}`;
  }
  return type;
}
