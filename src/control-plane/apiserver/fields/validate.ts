import { goPrint, goSyntax, goType } from '#platform/kube/patches/go-print';
import { isList, isObject, type JsonObject } from '#platform/kube/patches/json-object';
import { assertDepth } from '#platform/kube/patches/patch-error';
import type { Json } from '#platform/schema/json-schema';
import { itemElement, ListItemError } from './list-items.ts';
import { type PathElement, printElement } from './path-element.ts';
import { LIST, type ListType, MAP, type MapType, SCALAR, type ScalarType, shapesOf, type Type } from './type.ts';

/** Returns why an object does not match its type, in the wording of the API server; undefined if it does. */
export function typeErrors(object: JsonObject, type: Type): string | undefined {
  const errors: string[] = [];
  check(object, type, '', errors, 0);
  if (errors.length <= 1) return errors[0];
  return `errors:\n${errors.map((error) => `  ${error}`).join('\n')}`;
}

function check(value: Json, type: Type, path: string, errors: string[], depth: number): void {
  assertDepth(depth);
  const shapes = shapesOf(type, value);
  if ((shapes & MAP) !== 0) checkMap(value, type.map as MapType, path, errors, depth);
  else if ((shapes & SCALAR) !== 0) checkScalar(value, type.scalar as ScalarType, path, errors);
  else if ((shapes & LIST) !== 0) checkList(value, type.list as ListType, path, errors, depth);
}

const EXPECTED: Readonly<Record<ScalarType, { types: readonly string[]; text: string }>> = {
  numeric: { types: ['number'], text: 'numeric (int or float)' },
  string: { types: ['string'], text: 'string' },
  boolean: { types: ['boolean'], text: 'boolean' },
  untyped: { types: ['number', 'string', 'boolean'], text: 'any scalar' },
};

function checkScalar(value: Json, scalar: ScalarType, path: string, errors: string[]): void {
  const { types, text } = EXPECTED[scalar];
  if (value === null || types.includes(typeof value)) return;
  errors.push(`${path}: expected ${text}, got ${printWrong(value, scalar)}`);
}

/** Formats an invalid value; each message does so in another way. */
function printWrong(value: Json, expected: ScalarType): string {
  if (expected === 'numeric') return goType(value);
  return expected === 'string' ? `&value.valueUnstructured{Value:${goSyntax(value)}}` : `&{${goPrint(value)}}`;
}

function checkMap(value: Json, map: MapType, path: string, errors: string[], depth: number): void {
  if (value === null) return;
  if (!isObject(value)) {
    errors.push(`${path}: expected map, got &{${goPrint(value)}}`);
    return;
  }
  for (const name of Object.keys(value)) {
    const type = map.field(name)?.type ?? map.entries;
    if (type === undefined) {
      errors.push(`${path}.${name}: field not declared in schema`);
      continue;
    }
    check(value[name] as Json, type, `${path}.${name}`, errors, depth + 1);
  }
}

function checkList(value: Json, list: ListType, path: string, errors: string[], depth: number): void {
  if (value === null) return;
  if (!isList(value)) {
    errors.push(`${path}: expected list, got &{${goPrint(value)}}`);
    return;
  }
  const seen = new Set<PathElement>();
  for (const [i, item] of value.entries()) {
    let element = `i:${i}`;
    if (!list.atomic) {
      try {
        element = itemElement(list, item);
      } catch (error) {
        if (!(error instanceof ListItemError)) throw error;
        errors.push(`${path}: element ${i}: ${error.message}`);
        return;
      }
      if (seen.has(element)) errors.push(`${path}: duplicate entries for key ${printElement(element)}`);
      seen.add(element);
    }
    check(item, list.items, path + printElement(element), errors, depth + 1);
  }
}
