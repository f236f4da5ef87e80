import { ParseError } from '#platform/base/errors';
import { formatFieldError, invalid, notSupported } from '#platform/base/field-error';
import { labelValueProblems, qualifiedNameProblems } from '#platform/base/names';

export type Labels = Readonly<Record<string, string>>;

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One condition on the labels of an object. Its values are sorted. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

const INT64_MAX = 2n ** 63n - 1n;

/** Creates a requirement after the checks of Kubernetes, and throws all its problems in the words of Kubernetes. */
export function labelRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const problems = [...keyProblems(key, 'key'), ...countProblems(operator, values)];
  values.forEach((value, i) => {
    const wrong = labelValueProblems(value);
    if (wrong.length > 0) problems.push(formatFieldError(invalid(`values[${i}][${key}]`, value, wrong.join('; '))));
  });
  if (problems.length > 0) throw new ParseError(formatProblems(problems));
  return { key, operator, values: values.toSorted() };
}

/** Checks the key of a label and throws in the words of Kubernetes. */
export function checkLabelKey(key: string): void {
  const problems = keyProblems(key, '');
  if (problems.length > 0) throw new ParseError(formatProblems(problems));
}

function keyProblems(key: string, field: string): string[] {
  const wrong = qualifiedNameProblems(key);
  return wrong.length === 0 ? [] : [formatFieldError(invalid(field, key, wrong.join('; ')))];
}

function countProblems(operator: LabelOperator, values: readonly string[]): string[] {
  const wrong = (detail: string) => [formatFieldError(invalid('values', values.length === 0 ? null : values, detail))];
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length === 0 ? wrong("for 'in', 'notin' operators, values set can't be empty") : [];
    case '=':
    case '==':
    case '!=':
      return values.length === 1 ? [] : wrong('exact-match compatibility requires one single value');
    case 'exists':
    case '!':
      return values.length === 0 ? [] : wrong('values set must be empty for exists and does not exist');
    case 'gt':
    case 'lt':
      return values.length === 1
        ? integerProblems(values)
        : wrong("for 'Gt', 'Lt' operators, exactly one value is required");
    default:
      return [formatFieldError(notSupported('operator', operator, OPERATORS))];
  }
}

const OPERATORS: readonly string[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt', 'exists', '!'];

function integerProblems(values: readonly string[]): string[] {
  const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
  return values.flatMap((value, i) =>
    int64(value) === undefined ? [formatFieldError(invalid(`values[${i}]`, value, detail))] : [],
  );
}

/** Parses a 64-bit integer, or returns undefined if Go would reject it. */
function int64(text: string): bigint | undefined {
  if (text.length > 40 || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value > INT64_MAX || value < -INT64_MAX - 1n ? undefined : value;
}

/** Formats problems as Kubernetes lists them: each once, in brackets if there is more than one. */
function formatProblems(problems: readonly string[]): string {
  const unique = [...new Set(problems)];
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`;
}

/**
 * Compiles a requirement to a predicate. A value that is not a string (`constructor` of a bare object) is not a label.
 */
export function matcherOf({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  const [only = ''] = values;
  switch (operator) {
    case '=':
    case '==':
      return (labels) => labels[key] === only;
    case '!=':
      return (labels) => labels[key] !== only;
    case 'in': {
      const desired = new Set<unknown>(values);
      return (labels) => desired.has(labels[key]);
    }
    case 'notin': {
      const unwanted = new Set<unknown>(values);
      return (labels) => !unwanted.has(labels[key]);
    }
    case 'exists':
      return (labels) => typeof labels[key] === 'string';
    case '!':
      return (labels) => typeof labels[key] !== 'string';
    default:
      return integerMatcher(key, int64(only) ?? 0n, operator === 'gt');
  }
}

function integerMatcher(key: string, bound: bigint, greater: boolean): (labels: Labels) => boolean {
  return (labels) => {
    const text: unknown = labels[key];
    if (typeof text !== 'string') return false;
    const value = int64(text);
    return value !== undefined && (greater ? value > bound : value < bound);
  };
}

/** Formats the requirement so that the text parses to it again. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case '!':
      return `!${key}`;
    case 'exists':
      return key;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case 'gt':
      return `${key}>${values[0]}`;
    case 'lt':
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}
