import type { Json } from '#platform/schema/json-schema';
import { MemberPlans } from './member-plans.ts';
import { NodeCache } from './node-cache.ts';

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

/**
 * Describes a list, which is owned as a whole (atomic), by its values (no keys) or item by item (keys, sorted by name).
 */
export interface ListType {
  readonly atomic: boolean;
  readonly keys: readonly string[];
  /** Defaults of keys that an item omits, in the order of the keys. */
  readonly keyDefaults: readonly (Json | undefined)[];
  readonly items: Type;
  readonly nodes: NodeCache;
}

/** Describes a declared field by its path element and its type. */
export interface FieldType {
  readonly element: string;
  readonly type: Type;
}

/**
 * Describes an object, which is owned as a whole (atomic) or by its members: declared fields and entries that users
 * name.
 */
export interface MapType {
  readonly atomic: boolean;
  field(name: string): FieldType | undefined;
  /** Type of undeclared members; undefined if there may be none. */
  readonly entries: Type | undefined;
  readonly nodes: NodeCache;
  readonly plans: MemberPlans;
}

export const SCALAR = 1;
export const LIST = 2;
export const MAP = 4;

/** Describes the shapes that a value may have; if there is more than one, the value decides. */
export interface Type {
  readonly scalar: ScalarType | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
  /** Bits of SCALAR, LIST and MAP that the type has. */
  readonly shapes: number;
}

export function makeType(scalar?: ScalarType, list?: ListType, map?: MapType): Type {
  const shapes = (scalar === undefined ? 0 : SCALAR) | (list === undefined ? 0 : LIST) | (map === undefined ? 0 : MAP);
  return { scalar, list, map, shapes };
}

/** Returns how to treat a value of the type: by its own shape if the type has it, else by any shape of the type. */
export function shapesOf(type: Type, value: Json | undefined): number {
  const { shapes } = type;
  if (value === undefined || value === null) return shapes;
  const own = typeof value !== 'object' ? SCALAR : Array.isArray(value) ? LIST : MAP;
  return (shapes & own) === 0 ? shapes : own;
}

const deducedMap: MapType = {
  atomic: false,
  field: () => undefined,
  nodes: new NodeCache(),
  plans: new MemberPlans(),
  get entries() {
    return DEDUCED;
  },
};
const deducedList: ListType = {
  atomic: true,
  keys: [],
  keyDefaults: [],
  nodes: new NodeCache(),
  get items() {
    return DEDUCED;
  },
};

/** Type of values that are owned as a whole, regardless of content. */
export const OPAQUE: Type = makeType('untyped', deducedList, {
  atomic: true,
  field: () => undefined,
  nodes: new NodeCache(),
  plans: new MemberPlans(),
  get entries() {
    return DEDUCED;
  },
});

/** Type of values without a schema: objects are owned by their members, all else as a whole. */
export const DEDUCED: Type = makeType('untyped', deducedList, deducedMap);
