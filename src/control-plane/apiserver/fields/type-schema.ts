import { ownValue } from '#platform/base/own-value';
import type { Json } from '#platform/schema/json-schema';
import { MemberPlans } from './member-plans.ts';
import { NodeCache } from './node-cache.ts';
import { DEDUCED, type FieldType, type ListType, type MapType, makeType, OPAQUE, type Type } from './type.ts';

/** Parts of an OpenAPI component or structural schema that merging uses. */
export interface TypeSource {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: Json;
  readonly properties?: Readonly<Record<string, TypeSource>>;
  readonly additionalProperties?: TypeSource | boolean;
  readonly items?: TypeSource;
  readonly allOf?: readonly TypeSource[];
  readonly oneOf?: readonly TypeSource[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

const OBJECT_META: TypeSource = { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };
const RESOURCE_FIELDS = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: OBJECT_META };

/** Holds the types of objects, each derived from its schema on first use and then cached. */
export class TypeSchemas {
  readonly #components: Readonly<Record<string, TypeSource>>;
  readonly #types = new Map<string, Type>();

  constructor(components: Readonly<Record<string, TypeSource>>) {
    this.#components = components;
  }

  /** Returns the type of an OpenAPI component, such as io.k8s.api.core.v1.Pod. */
  component(name: string): Type | undefined {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const source = Object.hasOwn(this.#components, name) ? this.#components[name] : undefined;
    if (source === undefined) return undefined;
    const type = isOpaque(source) ? OPAQUE : this.read(source, false);
    this.#types.set(name, type);
    return type;
  }

  /** Returns the type of a custom resource with that structural schema; its metadata is that of all objects. */
  custom(schema: TypeSource): Type {
    return this.read({ ...schema, type: 'object', properties: { ...schema.properties, ...RESOURCE_FIELDS } }, false);
  }

  /** Returns the type of a schema; `open` is set if a schema around it preserves unknown fields. */
  read(source: TypeSource, open: boolean): Type {
    const ref = refOf(source);
    if (ref !== undefined) return this.#named(ref, source['x-kubernetes-map-type']);
    const keeps = open || source['x-kubernetes-preserve-unknown-fields'] === true;
    switch (source.type) {
      case 'object':
        return makeType(undefined, undefined, new SchemaMap(this, source, keeps));
      case 'array':
        return makeType(undefined, new SchemaList(this, source, keeps));
      case 'integer':
      case 'number':
        return makeType('numeric');
      case 'boolean':
        return makeType('boolean');
      case 'string':
        return makeType(['', 'byte', undefined].includes(source.format) ? 'string' : 'untyped');
      default:
        // Quantities and the like are a string or a number; no other schema without a type is that narrow.
        if (source.oneOf !== undefined) return makeType('untyped');
        return makeType('untyped', new SchemaList(this, source, keeps), new SchemaMap(this, source, keeps));
    }
  }

  /** Resolves a reference to its schema. */
  dereference(source: TypeSource | undefined): TypeSource | undefined {
    const ref = source === undefined ? undefined : refOf(source);
    return ref === undefined ? source : this.#components[ref];
  }

  #named(name: string, mapType: string | undefined): Type {
    const type = this.component(name) ?? DEDUCED;
    if (mapType === undefined || !(type.map instanceof SchemaMap)) return type;
    return makeType(type.scalar, type.list, type.map.as(mapType));
  }
}

/**
 * Reports whether a component declares nothing about its members and so holds an arbitrary document, such as
 * RawExtension.
 */
function isOpaque({ type, properties, additionalProperties, oneOf }: TypeSource): boolean {
  const silent = properties === undefined && additionalProperties === undefined && oneOf === undefined;
  return silent && (type === undefined || type === 'object');
}

function refOf(source: TypeSource): string | undefined {
  const ref = source.$ref ?? (source.allOf?.length === 1 ? source.allOf[0]?.$ref : undefined);
  return ref?.slice(ref.lastIndexOf('/') + 1);
}

class SchemaMap implements MapType {
  readonly atomic: boolean;
  readonly nodes = new NodeCache();
  readonly plans = new MemberPlans();
  readonly #types: TypeSchemas;
  readonly #source: TypeSource;
  readonly #properties: Readonly<Record<string, TypeSource>>;
  readonly #open: boolean;
  readonly #fields = new Map<string, FieldType>();
  #entries: Type | undefined | null = null;

  constructor(types: TypeSchemas, source: TypeSource, open: boolean) {
    this.#types = types;
    this.#source = source;
    this.#open = open;
    this.atomic = source['x-kubernetes-map-type'] === 'atomic';
    const embedded = source['x-kubernetes-embedded-resource'] === true;
    this.#properties = embedded ? { ...source.properties, ...RESOURCE_FIELDS } : (source.properties ?? {});
  }

  field(name: string): FieldType | undefined {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const property = Object.hasOwn(this.#properties, name) ? this.#properties[name] : undefined;
    if (property === undefined) return undefined;
    const field = { element: `f:${name}`, type: this.#types.read(property, this.#open) };
    this.#fields.set(name, field);
    return field;
  }

  get entries(): Type | undefined {
    if (this.#entries === null) {
      const { additionalProperties } = this.#source;
      const free = additionalProperties ?? (this.#open || Object.keys(this.#properties).length === 0);
      this.#entries = typeof free === 'object' ? this.#types.read(free, this.#open) : free ? DEDUCED : undefined;
    }
    return this.#entries;
  }

  /** Returns the same object type with the map type of a field that refers to it. */
  as(mapType: string): MapType {
    return new SchemaMap(this.#types, { ...this.#source, 'x-kubernetes-map-type': mapType }, this.#open);
  }
}

class SchemaList implements ListType {
  readonly atomic: boolean;
  readonly nodes = new NodeCache();
  readonly keys: readonly string[];
  readonly #types: TypeSchemas;
  readonly #items: TypeSource | undefined;
  readonly #open: boolean;
  #type: Type | undefined;
  #defaults: readonly (Json | undefined)[] | undefined;

  constructor(types: TypeSchemas, source: TypeSource, open: boolean) {
    this.#types = types;
    this.#items = source.items;
    this.#open = open;
    const keys = listKeys(source);
    this.atomic = keys === undefined;
    this.keys = [...(keys ?? [])].sort();
  }

  get items(): Type {
    this.#type ??= this.#items === undefined ? DEDUCED : this.#types.read(this.#items, this.#open);
    return this.#type;
  }

  get keyDefaults(): readonly (Json | undefined)[] {
    if (this.#defaults === undefined) {
      const properties = this.#types.dereference(this.#items)?.properties ?? {};
      this.#defaults = this.keys.map((key) => ownValue(properties, key)?.default);
    }
    return this.#defaults;
  }
}

/** Returns the keys of a list that is not atomic; none for a set. */
function listKeys(source: TypeSource): readonly string[] | undefined {
  switch (source['x-kubernetes-list-type']) {
    case 'set':
      return [];
    case 'map':
      return source['x-kubernetes-list-map-keys'] ?? [];
    case undefined: {
      if (!(source['x-kubernetes-patch-strategy'] ?? '').split(',').includes('merge')) return undefined;
      const key = source['x-kubernetes-patch-merge-key'];
      return key === undefined ? [] : [key];
    }
    default:
      return undefined;
  }
}
