import fc from 'fast-check';
import type { JsonSchema } from '#platform/schema/json-schema';
import { type Draw, drawn } from './draw.ts';
import { type FieldHints, type HintedPart, hintFor } from './field-hints.ts';
import { scalarArbitrary } from './scalar-arbitrary.ts';

/** Field of a schema, with the path that all items of a list share: `spec.disks[].name`. */
export interface SchemaField {
  readonly path: string;
  readonly schema: JsonSchema;
  /** Paths of its parents and itself. */
  readonly trail: readonly string[];
  /** Fields of the same object, including itself. */
  readonly siblings: readonly string[];
}

/**
 * Generates objects of a schema. To keep large schemas cheap, each object has a few fields chosen from all depths, and
 * what they require.
 */
export interface SchemaArbitrary {
  /** Every field that an object may have. */
  readonly fields: readonly SchemaField[];
  /**
   * Generates objects as JSON text. With `having`, all of them have the field unless another field of theirs excludes
   * it.
   */
  objects(having?: SchemaField): fc.Arbitrary<string>;
}

const MAX_CHOSEN = 8;

export function schemaArbitrary(schema: JsonSchema, knowledge: FieldHints = {}): SchemaArbitrary {
  const fields = fieldsOf(schema, '', []).filter(({ trail }) => !trail.some((path) => hintFor(knowledge.never, path)));
  const build = compileBuild(schema, '', knowledge);
  const choices = fc.subarray([...fields], { maxLength: Math.min(MAX_CHOSEN, fields.length) });
  const few = fc.subarray([...fields], { maxLength: Math.min(2, fields.length) });
  return {
    fields,
    objects: (having) =>
      drawn((draw) => {
        const chosen = having === undefined ? draw.of(choices) : [having, ...draw.of(few)];
        const desired = new Set<string>();
        for (const { trail, siblings } of chosen) {
          for (const path of trail) desired.add(path);
          if (draw.below(3) === 0) for (const path of siblings) desired.add(path);
        }
        return build(draw, desired);
      }),
  };
}

function fieldsOf(schema: JsonSchema, path: string, trail: readonly string[]): SchemaField[] {
  if (schema.items !== undefined) return fieldsOf(schema.items, `${path}[]`, [...trail, `${path}[]`]);
  const names = Object.keys(schema.properties ?? {});
  const siblings = names.map((name) => below(path, name));
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = below(path, name);
    const own = { path: at, schema: field, trail: [...trail, at], siblings };
    return [own, ...fieldsOf(field, at, own.trail)];
  });
}

export function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

type Build = (draw: Draw, desired: ReadonlySet<string>) => unknown;

function compileBuild(schema: JsonSchema, path: string, everything: FieldHints): Build {
  // Hints are about what users write. A status has only its schema.
  const knowledge = path === 'status' ? {} : everything;
  const field = hintFor(knowledge.fields, path);
  const repair = hintFor(knowledge.repairs, path);
  const plain = field === undefined ? shapeOf(schema, path, knowledge) : leaf(field.good);
  const made: Build =
    schema.nullable === true ? (draw, desired) => (draw.below(8) === 7 ? null : plain(draw, desired)) : plain;
  if (repair === undefined) return made;
  return (draw, desired) => {
    const value = made(draw, desired);
    if (value !== null) repair(value as never, draw);
    return value;
  };
}

function shapeOf(schema: JsonSchema, path: string, knowledge: FieldHints): Build {
  if (schema.items !== undefined) return listOf(schema, schema.items, path, knowledge);
  if (schema.properties !== undefined) return objectOf(schema, schema.properties, path, knowledge);
  if (typeof schema.additionalProperties === 'object') {
    return mapOf(schema, compileBuild(schema.additionalProperties, `${path}{}`, knowledge));
  }
  return leaf(scalarArbitrary(schema));
}

function leaf(arbitrary: fc.Arbitrary<unknown>): Build {
  return (draw) => draw.of(arbitrary);
}

const MAP_KEY = fc.string({ minLength: 1 });

function mapOf({ maxProperties = 3 }: JsonSchema, value: Build): Build {
  return (draw, desired) => {
    const size = draw.below(Math.min(maxProperties, 3) + 1);
    return Object.fromEntries(Array.from({ length: size }, () => [draw.of(MAP_KEY), value(draw, desired)]));
  };
}

function objectOf(
  schema: JsonSchema,
  properties: Readonly<Record<string, JsonSchema>>,
  path: string,
  knowledge: FieldHints,
): Build {
  const required = new Set(schema.required);
  const fields = Object.entries(properties)
    .map(([name, field]) => ({ name, at: below(path, name), field }))
    .filter(({ at }) => !hintFor(knowledge.never, at))
    .map(({ name, at, field }) => ({ name, at, build: compileBuild(field, at, knowledge) }));
  return (draw, desired) => {
    const object: HintedPart = {};
    // Chosen fields come first, since repairs that must choose between fields keep the first.
    for (const { name, at, build } of fields) if (desired.has(at)) object[name] = build(draw, desired);
    for (const { name, at, build } of fields) {
      if (required.has(name) && !desired.has(at)) object[name] = build(draw, desired);
    }
    return object;
  };
}

function listOf(schema: JsonSchema, items: JsonSchema, path: string, knowledge: FieldHints): Build {
  const at = `${path}[]`;
  const item = compileBuild(items, at, knowledge);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const identity = identityOf(schema);
  return (draw, desired) => {
    const min = Math.max(minItems, desired.has(at) ? 1 : 0);
    const size = Math.min(maxItems, min + draw.below(3));
    const list: unknown[] = [];
    const taken = new Set<string>();
    // Random items sometimes repeat where they must be unique, so a few more attempts are made.
    for (let attempt = 0; list.length < size && attempt < size + 10; attempt++) {
      const made = item(draw, list.length === 0 ? desired : thinOut(draw, desired));
      const text = identity?.(made) ?? `${attempt}`;
      if (!taken.has(text)) list.push(made);
      taken.add(text);
    }
    return list;
  };
}

function thinOut(draw: Draw, desired: ReadonlySet<string>): ReadonlySet<string> {
  return draw.below(2) === 0 ? desired : NOTHING;
}
const NOTHING: ReadonlySet<string> = new Set();

function identityOf(schema: JsonSchema): ((item: unknown) => string) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] === 'map') {
    return (item) => JSON.stringify(keys?.map((key) => (item as HintedPart)[key] ?? null));
  }
  return schema['x-kubernetes-list-type'] === 'set' || schema.uniqueItems === true ? JSON.stringify : undefined;
}
