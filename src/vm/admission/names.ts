import { type FieldError, invalid, key } from '#platform/base/field-error';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '#platform/base/names';

type Check = (text: string) => readonly string[];

/** Checks of names that a field may hold; a field left out or empty is fine. */
export const label = (field: string, value: string | undefined) => validateName(field, value, dns1123LabelProblems);
export const subdomain = (field: string, value: string | undefined) =>
  validateName(field, value, dns1123SubdomainProblems);
export const qualifiedName = (field: string, value: string | undefined) =>
  validateName(field, value, qualifiedNameProblems);

function validateName(field: string, value: string | undefined, problems: Check): FieldError[] {
  if (value === undefined || value === '') return [];
  return problems(value).map((problem) => invalid(field, value, problem));
}

/** Checks the name of a network that others describe, which may be one of another namespace. */
export function networkName(field: string, value: string | undefined): FieldError[] {
  if (value === undefined) return [];
  const parts = value.split('/');
  const sound = parts.length <= 2 && parts.every((part) => dns1123SubdomainProblems(part).length === 0);
  return sound ? [] : [invalid(field, value, 'must be the name of a network, or namespace/name')];
}

type TextMap = Readonly<Record<string, string>> | undefined;

/** Checks keys and values of labels, and of selectors, which are labels to be matched. */
export function labels(field: string, map: TextMap): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(map ?? {})) {
    for (const problem of qualifiedNameProblems(name)) errors.push(invalid(field, name, problem));
    for (const problem of labelValueProblems(value)) errors.push(invalid(key(field, name), value, problem));
  }
  return errors;
}

/** Checks the keys of annotations, which Kubernetes reads without regard to case; values may be any text. */
export function annotations(field: string, map: TextMap): FieldError[] {
  return Object.keys(map ?? {}).flatMap((name) =>
    qualifiedNameProblems(name.toLowerCase()).map((problem) => invalid(field, name, problem)),
  );
}
