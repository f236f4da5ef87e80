import { duplicateFields } from './duplicate-fields.ts';

/** Prefix of the lines that list the duplicate keys of a YAML text. */
const YAML_PROBLEMS = 'yaml: unmarshal errors:\n';

export const unknownField = (path: string): string => `unknown field "${path}"`;
export const duplicateField = (path: string): string => `duplicate field "${path}"`;

/**
 * Returns all problems of a JSON text with duplicate keys, in the order of the text, as Kubernetes' decoder of built-in
 * kinds reports them. An unknown field is not reported as a duplicate too.
 */
export function problemsInOrder(text: string, unknown: readonly string[]): string[] {
  const strangers = new Set(unknown);
  const once = new Set<string>();
  const twice = new Set<string>();
  const found = new Set<string>();
  duplicateFields(text, (path) => {
    if (strangers.has(path)) found.add(unknownField(path));
    else if (once.has(path) && !twice.has(path)) {
      twice.add(path);
      found.add(duplicateField(path));
    }
    once.add(path);
  });
  for (const path of unknown) found.add(unknownField(path));
  return [...found];
}

/** Splits the problems into single warnings. */
export function asWarnings(problems: readonly string[]): string[] {
  return problems.flatMap((problem) =>
    problem.startsWith(YAML_PROBLEMS)
      ? problem
          .slice(YAML_PROBLEMS.length)
          .split('\n')
          .map((line) => line.trim())
      : [problem],
  );
}
