import { duplicateFields } from './duplicate-fields.ts';

/** What stands before the lines in which a YAML text has keys twice. */
const YAML_PROBLEMS = 'yaml: unmarshal errors:\n';

export const unknownField = (path: string): string => `unknown field "${path}"`;
export const duplicateField = (path: string): string => `duplicate field "${path}"`;

/**
 * All that is to say of a JSON text in which keys stand twice, in the order of the text, as Kubernetes' decoder of
 * built-in kinds tells it. A field that is not known at all is not told twice.
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

/** The problems as single warnings. */
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
