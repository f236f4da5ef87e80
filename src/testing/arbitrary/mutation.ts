import type { JsonSchema } from '#platform/schema/json-schema';
import { type FieldHints, type HintedPart, hintFor } from './field-hints.ts';
import { below } from './schema-arbitrary.ts';

/** One way to break a valid object at one field. */
export interface Mutation {
  readonly what: string;
  /** Path that the error must name. */
  readonly path: string;
  /** An unknown field is reported by its path alone, and everything else by a cause. */
  readonly unknownField: boolean;
  /** Breaks the object that the mutation was found in. */
  apply(): void;
}

/** Path of a value in its object, as the API server prints it, and in its schema. */
interface Place {
  readonly path: string;
  readonly schemaPath: string;
  replace(value: unknown): void;
}

/** Returns all ways to break an object by its schema and the hints for its fields. */
export function mutationsOf(object: HintedPart, schema: JsonSchema, knowledge: FieldHints): Mutation[] {
  const search = new Search(knowledge);
  search.walk(object, schema, { path: '', schemaPath: '', replace: () => {} });
  return search.found;
}

class Search {
  readonly found: Mutation[] = [];
  readonly #knowledge: FieldHints;

  constructor(knowledge: FieldHints) {
    this.#knowledge = knowledge;
  }

  walk(value: unknown, schema: JsonSchema, at: Place): void {
    if (at.path !== '') {
      for (const bad of this.#refusedAt(at.schemaPath)) this.#replacement('a value that admission refuses', at, bad);
      if (value !== null) for (const [what, bad] of brokenValues(schema)) this.#replacement(what, at, bad);
    }
    if (Array.isArray(value)) this.#list(value, schema, at);
    else if (typeof value === 'object' && value !== null) this.#object(value as HintedPart, schema, at);
  }

  /** Returns the values that admission rejects. A status is checked by its schema only. */
  #refusedAt(schemaPath: string): readonly unknown[] {
    return schemaPath.startsWith('status') ? [] : (hintFor(this.#knowledge.fields, schemaPath)?.bad ?? []);
  }

  #add(what: string, path: string, apply: () => void): void {
    this.found.push({ what, path, unknownField: false, apply });
  }

  #replacement(what: string, at: Place, bad: unknown): void {
    this.#add(what, at.path, () => at.replace(bad));
  }

  #list(list: unknown[], schema: JsonSchema, at: Place): void {
    const listType = schema['x-kubernetes-list-type'];
    if ((listType === 'map' || listType === 'set') && list.length > 0) {
      this.#add('an item twice', `${at.path}[${list.length}]`, () => list.push(structuredClone(list[0])));
    }
    if (schema.items === undefined) return;
    for (const [i, item] of list.entries()) {
      const replace = (bad: unknown) => {
        list[i] = bad;
      };
      this.walk(item, schema.items, { path: `${at.path}[${i}]`, schemaPath: `${at.schemaPath}[]`, replace });
    }
  }

  #object(object: HintedPart, schema: JsonSchema, at: Place): void {
    const { properties = {}, additionalProperties, required = [] } = schema;
    const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    for (const name of required) {
      if (properties[name]?.default !== undefined || object[name] === undefined) continue;
      this.#add('missing', below(at.path, name), () => delete object[name]);
      this.#add('null', below(at.path, name), () => put(object, name, null));
    }
    if (schema['x-kubernetes-preserve-unknown-fields'] !== true && values === undefined) {
      for (const name of UNKNOWN_NAMES) {
        const apply = () => put(object, name, 'x');
        this.found.push({ what: 'an unknown field', path: below(at.path, name), unknownField: true, apply });
      }
    }
    for (const [name, value] of Object.entries(object)) {
      const field = Object.hasOwn(properties, name) ? properties[name] : values;
      if (field === undefined) continue;
      const schemaPath = Object.hasOwn(properties, name) ? below(at.schemaPath, name) : `${at.schemaPath}{}`;
      this.walk(value, field, { path: below(at.path, name), schemaPath, replace: (bad) => put(object, name, bad) });
    }
  }
}

const UNKNOWN_NAMES = ['noSuchField', '__proto__', 'constructor', 'toString', ''];

/** Sets a field of any name. A plain assignment to __proto__ would set no field. */
function put(object: HintedPart, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

const OTHER_TYPES: Readonly<Record<NonNullable<JsonSchema['type']>, readonly unknown[]>> = {
  string: [7, true, {}, []],
  integer: ['7', 1.5, true, {}],
  number: ['7', true, []],
  boolean: ['true', 1, {}],
  array: ['a', {}, 7],
  object: ['a', [], 7],
};
const NEITHER_INTEGER_NOR_STRING = [true, {}, 1.5];

/** Returns values that the schema itself rejects, each with a description. */
function brokenValues(schema: JsonSchema): [what: string, bad: unknown][] {
  const broken: [string, unknown][] = [];
  const add = (what: string, ...values: readonly unknown[]) =>
    broken.push(...values.map((bad) => [what, bad] as [string, unknown]));
  if (schema['x-kubernetes-int-or-string'] === true) add('another type', ...NEITHER_INTEGER_NOR_STRING);
  else if (schema.type !== undefined) {
    // The API server accepts any list for a string with a format.
    const formatted = schema.type === 'string' && schema.format !== undefined;
    add('another type', ...OTHER_TYPES[schema.type].filter((value) => !formatted || !Array.isArray(value)));
  }
  const { minimum, maximum, minLength = 0, maxLength, minItems = 0, maxItems, maxProperties, pattern } = schema;
  if (schema.enum !== undefined) add('no choice of the list', 'no-such-choice');
  if (minimum !== undefined) add('below the minimum', schema.exclusiveMinimum === true ? minimum : minimum - 1);
  if (maximum !== undefined) add('above the maximum', schema.exclusiveMaximum === true ? maximum : maximum + 1);
  if (minLength > 0) add('too short', '');
  if (maxLength !== undefined) add('too long', 'a'.repeat(maxLength + 1));
  if (minItems > 0) add('too few items', []);
  if (maxItems !== undefined)
    add(
      'too many items',
      Array.from({ length: maxItems + 1 }, () => null),
    );
  if (maxProperties !== undefined) add('too many entries', entries(maxProperties + 1));
  if (pattern !== undefined) add('no match of the pattern', ...mismatches(pattern));
  if (schema.format === 'date-time') add('no instant', 'yesterday', '2024-02-30T00:00:00Z', '');
  if (schema.type === 'integer' && maximum === undefined)
    add('outside its format', schema.format === 'int32' ? 2 ** 31 : 2 ** 63);
  return broken;
}

function entries(count: number): HintedPart {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, 'value']));
}

const ODD_TEXTS = ['\n', ' ', '§', '-', 'a b', '1\n', '%'];

function mismatches(pattern: string): string[] {
  const expression = new RegExp(pattern, 'u');
  return ODD_TEXTS.filter((text) => !expression.test(text));
}
