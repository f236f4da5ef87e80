import { append } from '#platform/base/append';
import { child, type FieldError, index, invalid } from '#platform/base/field-error';
import { dns1035LabelProblems } from '#platform/base/names';
import type { CrdNames } from '../crd.ts';

/** Validates names for use in paths and objects. Empty names are validated elsewhere. */
export function validateNames(names: Partial<CrdNames>, path: string): FieldError[] {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names;
  const mixed = 'may have mixed case, but should otherwise match: ';
  const causes = [
    ...validateLabel(plural, plural, child(path, 'plural')),
    ...validateLabel(singular, singular, child(path, 'singular')),
    ...validateLabel(kind, kind.toLowerCase(), child(path, 'kind'), mixed),
    ...validateLabel(listKind, listKind.toLowerCase(), child(path, 'listKind'), mixed),
  ];
  const eachOf = (list: readonly string[], at: string): FieldError[] =>
    list.flatMap((name, i) => problems(name, name, index(at, i)));
  append(causes, eachOf(shortNames, child(path, 'shortNames')));
  if (kind !== '' && kind === listKind) {
    causes.push(invalid(child(path, 'listKind'), listKind, 'kind and listKind may not be the same'));
  }
  return [...causes, ...eachOf(categories, child(path, 'categories'))];
}

function validateLabel(value: string, label: string, path: string, prefix = ''): FieldError[] {
  return value === '' ? [] : problems(value, label, path, prefix);
}

function problems(value: string, label: string, path: string, prefix = ''): FieldError[] {
  const found = dns1035LabelProblems(label);
  return found.length === 0 ? [] : [invalid(path, value, `${prefix}${found.join(',')}`)];
}
