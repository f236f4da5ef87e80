import { memoize } from './memoize.ts';
import { exceedsBytes } from './utf8.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;

const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;

const labelRule = rule(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL,
  ['my-name', '123-abc'],
);
const subdomainRule = rule(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  ['example.com'],
);
const label1035Rule = rule(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  LABEL_1035,
  ['my-name', 'abc-123'],
);
const qualifiedRule = rule(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED,
  ['MyName', 'my.name', '123-abc'],
);
const labelValueRule = rule(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  ['MyValue', 'my_value', '12345'],
);

/*
 * Each check returns the problems of a name in the words of Kubernetes 1.36, and an empty list for a valid name.
 * Kubernetes counts bytes everywhere but calls them characters in the rules for object names.
 */

/** Checks a DNS label (RFC 1123), for example the name of a namespace. */
export function dns1123LabelProblems(name: string): string[] {
  const problems = tooLong(name, MAX_LABEL, 'characters');
  if (!labelRule.matches(name)) {
    problems.push(subdomainRule.matches(name) ? 'must not contain dots' : labelRule.message);
  }
  return problems;
}

/** Checks a DNS subdomain (RFC 1123), which names most objects. */
export function dns1123SubdomainProblems(name: string): string[] {
  return problemsOf(name, MAX_SUBDOMAIN, 'characters', subdomainRule);
}

/** Checks a DNS label (RFC 1035), for example the name of a service. */
export function dns1035LabelProblems(name: string): string[] {
  return problemsOf(name, MAX_LABEL, 'characters', label1035Rule);
}

/** Checks a qualified name: the key of a label, an annotation or a taint, or a finalizer. */
export function qualifiedNameProblems(text: string): readonly string[] {
  return knownProblems(text);
}

/** Results are memoized because the same few names come with every object. */
const knownProblems = memoize(2048, (text): readonly string[] => {
  const slash = text.indexOf('/');
  if (slash >= 0 && text.includes('/', slash + 1)) {
    return [
      `a valid label key ${qualifiedRule.message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems = slash < 0 ? [] : prefixProblems(text.slice(0, slash));
  const name = text.slice(slash + 1);
  if (name === '') problems.push('name part must be non-empty');
  for (const problem of problemsOf(name, MAX_LABEL, 'bytes', qualifiedRule)) problems.push(`name part ${problem}`);
  return problems;
});

/** Checks the value of a label. */
export function labelValueProblems(value: string): string[] {
  return problemsOf(value, MAX_LABEL, 'bytes', labelValueRule);
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return problemsOf(prefix, MAX_SUBDOMAIN, 'bytes', subdomainRule).map((problem) => `prefix part ${problem}`);
}

interface Rule {
  readonly message: string;
  matches(text: string): boolean;
}

/** Creates a rule from a pattern. Its message lists the examples as Kubernetes does, odd spacing included. */
function rule(says: string, pattern: string, examples: readonly string[]): Rule {
  const whole = new RegExp(`^(?:${pattern})$`);
  const listed = examples.map((example) => `'${example}', `).join(' or ');
  return {
    message: `${says} (e.g. ${listed}regex used for validation is '${pattern}')`,
    matches: (text) => whole.test(text),
  };
}

function problemsOf(text: string, max: number, unit: 'bytes' | 'characters', rule: Rule): string[] {
  const problems = tooLong(text, max, unit);
  if (!rule.matches(text)) problems.push(rule.message);
  return problems;
}

function tooLong(text: string, max: number, unit: 'bytes' | 'characters'): string[] {
  return exceedsBytes(text, max) ? [`must be no more than ${max} ${unit}`] : [];
}
