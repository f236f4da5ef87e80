import { type FieldError, invalid, notSupported, required } from '#platform/base/field-error';
import { labelValueProblems, qualifiedNameProblems } from '#platform/base/names';
import { ownValue } from '#platform/base/own-value';
import { ipProblems } from './ip-text.ts';

/*
 * Checks for single values that many kinds share, in which an absent value is zero, as in Go. Each returns causes in
 * the words of Kubernetes, none for a valid value.
 */

export const MAX_INT32 = 2_147_483_647;

/** Returns one cause for each problem of a name check. */
export function causesFor(field: string, value: unknown, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => invalid(field, value, problem));
}

export function validatePresent(field: string, value: unknown, detail = ''): FieldError[] {
  return value === undefined || value === '' ? [required(field, detail)] : [];
}

export function validateOneOf(field: string, value: string | undefined, allowed: readonly string[]): FieldError[] {
  return allowed.includes(value ?? '') ? [] : [notSupported(field, value ?? '', allowed)];
}

/** Validates an enum value that may be absent. */
export function validateOneOfIfSet(field: string, value: string | undefined, allowed: readonly string[]): FieldError[] {
  return value === undefined ? [] : validateOneOf(field, value, allowed);
}

export function validateNotNegative(field: string, value: number | undefined): FieldError[] {
  return (value ?? 0) < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : [];
}

export function validateBetween(field: string, value: number, low: number, high: number): FieldError[] {
  return value < low || value > high ? [invalid(field, value, `must be between ${low} and ${high}, inclusive`)] : [];
}

export function validatePortNumber(field: string, value: number | undefined): FieldError[] {
  return validateBetween(field, value ?? 0, 1, 65_535);
}

/** Returns the problems of a port name, by the rules of IANA. */
export function portNameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

/** Validates a port by number or by name. */
export function validatePortReference(field: string, value: number | string | undefined): FieldError[] {
  return typeof value === 'string'
    ? causesFor(field, value, portNameProblems(value))
    : validatePortNumber(field, value);
}

export function validateLabels(field: string, map: Readonly<Record<string, string>> = {}): FieldError[] {
  return Object.entries(map).flatMap(([name, value]) => [
    ...causesFor(field, name, qualifiedNameProblems(name)),
    ...causesFor(field, value, labelValueProblems(value)),
  ]);
}

/** Validates annotations. The prefix of a key may have upper case letters. */
export function validateAnnotations(field: string, map: Readonly<Record<string, string>> = {}): FieldError[] {
  return Object.keys(map).flatMap((name) => causesFor(field, name, qualifiedNameProblems(name.toLowerCase())));
}

export function validateLabelName(field: string, name: string): FieldError[] {
  return causesFor(field, name, qualifiedNameProblems(name));
}

const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Returns the problems of a key of a ConfigMap or Secret. */
export function configKeyProblems(key: string): string[] {
  const problems: string[] = [];
  if (key.length > 253) problems.push('must be no more than 253 characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) problems.push(CONFIG_KEY);
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

export function validateIpAddress(field: string, value = ''): FieldError[] {
  return causesFor(field, value, ipProblems(value));
}

/** Validates a relative path without backsteps. */
export function validateRelativePath(field: string, path: string): FieldError[] {
  return [
    ...(path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []),
    ...validateNoBackSteps(field, path),
  ];
}

export function validateNoBackSteps(field: string, path: string): FieldError[] {
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}

/**
 * Validates the path of a file in a volume. Names at its root that begin with two dots are reserved for the kubelet.
 */
export function validateFileInVolume(field: string, path: string): FieldError[] {
  const causes = validateRelativePath(field, path);
  if (path.startsWith('..') && !path.split('/').includes('..')) {
    causes.push(invalid(field, path, "must not start with '..'"));
  }
  return causes;
}

export const IMMUTABLE = 'field is immutable';

/** Validates that a field keeps its initial value. */
export function validateUnchanged(field: string, value: unknown, old: unknown): FieldError[] {
  return same(value, old) ? [] : [invalid(field, value ?? null, IMMUTABLE)];
}

/** Reports whether Go considers two values equal: absent values, empty lists and empty maps are the same. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]));
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  for (const key in left) if (!same(left[key], ownValue(right, key))) return false;
  for (const key in right) if (!Object.hasOwn(left, key) && !same(undefined, right[key])) return false;
  return true;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}
