import { type FieldError, invalid } from '#platform/base/field-error';

/** Validates a name, with one cause per problem. */
export function validateName(
  field: string,
  name: string,
  problemsOf: (name: string) => readonly string[],
): FieldError[] {
  const problems = problemsOf(name);
  return problems.length === 0 ? [] : problems.map((problem) => invalid(field, name, problem));
}
