import { type FieldError, invalid } from '#platform/base/field-error';

/** What is wrong with a name, one cause for each problem. */
export function validateName(
  field: string,
  name: string,
  problemsOf: (name: string) => readonly string[],
): FieldError[] {
  const problems = problemsOf(name);
  return problems.length === 0 ? [] : problems.map((problem) => invalid(field, name, problem));
}
