import { type FieldError, invalid } from '#platform/base/field-error';
import { ownValue } from '#platform/base/own-value';
import type { KubeObject } from '#platform/kube/kube-object';
import { goPrint, goType } from '#platform/kube/patches/go-print';
import type { Json } from '#platform/schema/json-schema';
import type { ScalePaths } from '../scale-paths.ts';

const MAX_REPLICAS = 2 ** 31 - 1;

/** Validates that a custom object has values at its scale paths that a Scale can show. */
export function validateScale(object: KubeObject, { spec, status, selector }: ScalePaths): FieldError[] {
  return [
    ...validateCount(object, spec),
    ...validateCount(object, status),
    ...(selector === undefined || selector === '' ? [] : validateText(object, selector)),
  ];
}

function validateCount(object: KubeObject, path: string): FieldError[] {
  const found = follow(object, path);
  if (found === undefined) return [];
  if ('problem' in found) return [invalid(path, 0, found.problem)];
  const { value } = found;
  if (typeof value !== 'number' || !Number.isInteger(value)) return [invalid(path, 0, mismatch(path, value, 'int64'))];
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
  return value > MAX_REPLICAS ? [invalid(path, value, `should be less than or equal to ${MAX_REPLICAS}`)] : [];
}

function validateText(object: KubeObject, path: string): FieldError[] {
  const found = follow(object, path);
  if (found === undefined) return [];
  if ('problem' in found) return [invalid(path, '', found.problem)];
  return typeof found.value === 'string' ? [] : [invalid(path, '', mismatch(path, found.value, 'string'))];
}

/** Returns the value at a path; undefined if there is none. */
function follow(object: KubeObject, path: string): { readonly value: Json } | { readonly problem: string } | undefined {
  let value = object as unknown as Json;
  let way = '';
  for (const key of path.split('.').slice(1)) {
    way += `.${key}`;
    if (value === null) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) {
      return { problem: mismatch(way, value, 'map[string]interface{}') };
    }
    const next = ownValue(value as Readonly<Record<string, Json>>, key);
    if (next === undefined) return undefined;
    value = next;
  }
  return { value };
}

function mismatch(path: string, value: Json, expected: string): string {
  return `${path} accessor error: ${goPrint(value)} is of the type ${goType(value)}, expected ${expected}`;
}
