import { type LabelRequirement, type Labels, matcherOf } from './label-requirement.ts';

/** All requirements on one label. */
interface KeyTest {
  /** Some requirement fails if there is no such label. */
  readonly isRequired: boolean;
  matches(value: string, labels: Labels): boolean;
}

/**
 * Compiles many requirements so that a match costs as much as the labels of the object, however long the selector is:
 * a user who writes selectors with thousands of expressions must not make controllers evaluate all of them on each pod.
 */
export function indexedMatcher(requirements: readonly LabelRequirement[]): (labels: Labels) => boolean {
  const groups = Map.groupBy(requirements, ({ key }) => key);
  const tests = new Map([...groups].map(([key, group]) => [key, keyTest(group)] as const));
  const required = [...tests.values()].filter(({ isRequired }) => isRequired).length;
  return (labels) => {
    let found = 0;
    for (const key of Object.keys(labels)) {
      const test = tests.get(key);
      const value: unknown = labels[key];
      if (test === undefined || typeof value !== 'string') continue;
      if (!test.matches(value, labels)) return false;
      if (test.isRequired) found++;
    }
    return found === required;
  };
}

function keyTest(requirements: readonly LabelRequirement[]): KeyTest {
  let allowed: Set<string> | undefined;
  const denied = new Set<string>();
  let isRequired = false;
  let isForbidden = false;
  const others: ((labels: Labels) => boolean)[] = [];
  for (const requirement of requirements) {
    const { operator, values } = requirement;
    if (operator === 'notin' || operator === '!=') for (const value of values) denied.add(value);
    else if (operator === '!') isForbidden = true;
    else isRequired = true;
    if (operator === 'in' || operator === '=' || operator === '==') {
      const each = new Set(values);
      allowed = allowed === undefined ? each : allowed.intersection(each);
    }
    if (operator === 'gt' || operator === 'lt') others.push(matcherOf(requirement));
  }
  return {
    isRequired,
    matches: (value, labels) =>
      !isForbidden &&
      allowed?.has(value) !== false &&
      !denied.has(value) &&
      others.every((matchesOther) => matchesOther(labels)),
  };
}
