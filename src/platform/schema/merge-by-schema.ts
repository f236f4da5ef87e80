import type { JsonSchema } from './json-schema.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Merges `own` over `base` by their schema: objects by field, maps by key, lists with keys by key (those of `base`
 * first), everything else as a whole, with the defaults of the schema under both. In an item of both lists, a value of
 * `own` that equals the default yields to the one of `base`, because it may not have been set explicitly.
 */
export function mergeBySchema(schema: JsonSchema, own: unknown, base: unknown, yields = false): unknown {
  if (own === undefined && base === undefined) return schema.default;
  if (isWhole(schema)) return own ?? base;
  if (schema.properties !== undefined) return ofFields(schema.properties, asMembers(own), asMembers(base), yields);
  if (schema.type === 'object') return { ...asMembers(base), ...asMembers(own) };
  const [key] = schema['x-kubernetes-list-map-keys'] ?? [];
  if (key === undefined || schema.items === undefined) return own ?? base;
  return ofItems(schema.items, key, asList(own), asList(base));
}

function isWhole(schema: JsonSchema): boolean {
  return schema['x-kubernetes-list-type'] === 'atomic' || schema['x-kubernetes-map-type'] === 'atomic';
}

function ofFields(fields: Readonly<Record<string, JsonSchema>>, own: Members, base: Members, yields: boolean): Members {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const makesRoom = yields && base[name] !== undefined && isDefault(field, own[name]);
      const value = mergeBySchema(field, makesRoom ? undefined : own[name], base[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const isDefault = ({ default: fallback }: JsonSchema, value: unknown) => fallback !== undefined && value === fallback;

function ofItems(item: JsonSchema, key: string, own: readonly Members[], base: readonly Members[]): unknown[] {
  const owned = new Map(own.map((each) => [each[key], each]));
  const known = new Set(base.map((each) => each[key]));
  return [
    ...base.map((each) => mergeBySchema(item, owned.get(each[key]), each, true)),
    ...own.filter((each) => !known.has(each[key])),
  ];
}

const asMembers = (value: unknown) => (value ?? {}) as Members;
const asList = (value: unknown) => (value ?? []) as readonly Members[];
