import { formatFieldError, invalid } from '#platform/base/field-error';
import { goQuote } from '#platform/base/go-value';
import { dns1123SubdomainProblems } from '#platform/base/names';

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const WHOLE_PATH = new RegExp(`^${PATH}$`);
const FIELD = 'extra.key';

/** Returns why the extra values may not be impersonated, in the server's wording. */
export function extraProblem(extra: Readonly<Record<string, readonly string[]>>): string | undefined {
  for (const [key, list] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const problems = keyProblems(key);
    if (problems.length > 0) {
      const text = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
      return `impersonating an invalid key in extra is not allowed: ${text}`;
    }
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
    if (list.length === 0) return 'impersonating empty values in extra is not allowed';
    if (list.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

/** Validates that a key is a path with a domain prefix. */
function keyProblems(key: string): string[] {
  const slash = key.indexOf('/');
  const domain = key.slice(0, slash);
  const path = key.slice(slash + 1);
  if (slash < 1 || path === '') {
    return [formatFieldError(invalid(FIELD, key, 'must be a domain-prefixed path (such as "acme.io/foo")'))];
  }
  const problems = dns1123SubdomainProblems(domain).map((problem) => formatFieldError(invalid(FIELD, domain, problem)));
  if (!WHOLE_PATH.test(path)) {
    problems.push(formatFieldError(invalid(FIELD, path, `Invalid path (regex used for validation is '${PATH}')`)));
  }
  return problems;
}
