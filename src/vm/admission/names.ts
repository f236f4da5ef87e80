import { type FieldError, invalid, key } from '#platform/base/field-error';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '#platform/base/names';

type Check = (text: string) => readonly string[];

/** Validates the names in a field. An omitted or empty field is valid. */
export const label = (field: string, value: string | undefined) => validateName(field, value, dns1123LabelProblems);
export const subdomain = (field: string, value: string | undefined) =>
  validateName(field, value, dns1123SubdomainProblems);
export const qualifiedName = (field: string, value: string | undefined) =>
  validateName(field, value, qualifiedNameProblems);

function validateName(field: string, value: string | undefined, problems: Check): FieldError[] {
  if (value === undefined || value === '') return [];
  return problems(value).map((problem) => invalid(field, value, problem));
}

/** Validates the name of a network that others define, which may be in another namespace. */
export function networkName(field: string, value: string | undefined): FieldError[] {
  if (value === undefined) return [];
  const parts = value.split('/');
  const sound = parts.length <= 2 && parts.every((part) => dns1123SubdomainProblems(part).length === 0);
  return sound ? [] : [invalid(field, value, 'must be the name of a network, or namespace/name')];
}

type TextMap = Readonly<Record<string, string>> | undefined;

/** Validates keys and values of labels, and of label selectors. */
export function labels(field: string, map: TextMap): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(map ?? {})) {
    for (const problem of qualifiedNameProblems(name)) errors.push(invalid(field, name, problem));
    for (const problem of labelValueProblems(value)) errors.push(invalid(key(field, name), value, problem));
  }
  return errors;
}

/** Validates the keys of annotations, which Kubernetes compares case-insensitively. Values may be any text. */
export function annotations(field: string, map: TextMap): FieldError[] {
  return Object.keys(map ?? {}).flatMap((name) =>
    qualifiedNameProblems(name.toLowerCase()).map((problem) => invalid(field, name, problem)),
  );
}
