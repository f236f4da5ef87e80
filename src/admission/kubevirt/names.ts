import { type FieldError, invalid, key } from '../../base/field-error.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../base/names.ts';

type Texts = Readonly<Record<string, string>>;

/** What is wrong with a name, one cause for each problem. */
export function nameCauses(field: string, name: string, problemsOf: (name: string) => readonly string[]): FieldError[] {
  const problems = problemsOf(name);
  return problems.length === 0 ? [] : problems.map((problem) => invalid(field, name, problem));
}

/** What is wrong with labels, or with a selector that names labels. */
export function labelCauses(field: string, labels: Texts | undefined): FieldError[] {
  const causes: FieldError[] = [];
  for (const [name, value] of Object.entries(labels ?? {})) {
    for (const problem of qualifiedNameProblems(name)) causes.push(invalid(field, name, problem));
    for (const problem of labelValueProblems(value)) causes.push(invalid(key(field, name), value, problem));
  }
  return causes;
}

/** What is wrong with annotations: their keys; any text may be a value. */
export function annotationCauses(field: string, annotations: Texts | undefined): FieldError[] {
  // Kubernetes lets the prefix of an annotation have upper case letters.
  return Object.keys(annotations ?? {}).flatMap((name) =>
    qualifiedNameProblems(name.toLowerCase()).map((problem) => invalid(field, name, problem)),
  );
}
