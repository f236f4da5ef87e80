import { goQuote } from '#platform/base/go-value';
import { boxOf, type UncoveredPart, uncoveredParts } from './rbac-cover.ts';
import type { PolicyRule } from './rbac-objects.ts';

/**
 * Maximum number of combinations and characters that are listed in full, as Kubernetes does; roles have a few hundred.
 */
const MAX_LISTED = 10_000;
const MAX_LISTED_CHARACTERS = 1_000_000;
/** Maximum number of rules that are shown, shortened, if there are more than that. */
const MAX_SHOWN_RULES = 20;
const MAX_SHOWN_VALUES = 10;
const MAX_SHOWN_CHARACTERS = 64;

/**
 * Returns the permissions of the desired rules that the owned ones do not grant, a line for each; none if all are
 * granted.
 */
export function missingPermissions(
  owned: readonly PolicyRule[],
  desired: readonly PolicyRule[],
): readonly string[] | 'incomparable' {
  const parts = uncoveredParts(owned, desired);
  if (parts === undefined) return 'incomparable';
  const combinations = parts.reduce(
    (sum, { lists }) => sum + lists.reduce((count, { length }) => count * length, 1),
    0,
  );
  const listed = combinations > MAX_LISTED ? undefined : listAll(parts, desired);
  return listed ?? formatShortRules(parts, desired);
}

/** Lists what is missing, broken down to single resources and paths; undefined if that is too long. */
function listAll(parts: readonly UncoveredPart[], desired: readonly PolicyRule[]): readonly string[] | undefined {
  const resources = new Map<
    string,
    { apiGroups: string[]; resources: string[]; resourceNames: string[]; verbs: string[] }
  >();
  const lines = new Set<string>();
  let characters = 0;
  for (const { of, rule, values } of combinationsOf(parts, desired)) {
    characters += values.reduce((sum, { length }) => sum + length, 0);
    if (characters > MAX_LISTED_CHARACTERS) return undefined;
    if (of === 'paths') {
      const [path = '', verb = ''] = values;
      lines.add(formatRule({ nonResourceURLs: [path], verbs: [verb] }));
      continue;
    }
    const [group = '', resource = '', verb = '', name = ''] = values;
    const resourceNames = desired[rule]?.resourceNames?.length ? [name] : [];
    const key = JSON.stringify([group, resource, resourceNames]);
    const known = resources.get(key);
    // The verbs on one resource are joined again, in the order in which they were found.
    if (known) known.verbs.push(verb);
    else resources.set(key, { apiGroups: [group], resources: [resource], resourceNames, verbs: [verb] });
  }
  for (const rule of resources.values()) lines.add(formatRule(rule));
  return [...lines].sort();
}

interface Combination {
  readonly of: UncoveredPart['of'];
  readonly rule: number;
  readonly positions: readonly number[];
  readonly values: readonly string[];
}

/** Returns the single combinations of parts, in the order in which the rules name them. */
function combinationsOf(parts: readonly UncoveredPart[], desired: readonly PolicyRule[]): Combination[] {
  const found: Combination[] = [];
  for (const { of, rule, lists } of parts) {
    const box = boxOf(desired[rule] ?? { verbs: [] }, of);
    let chosen: number[][] = [[]];
    for (const positions of lists) chosen = chosen.flatMap((before) => positions.map((at) => [...before, at]));
    for (const positions of chosen) {
      found.push({ of, rule, positions, values: positions.map((at, i) => box[i]?.[at] ?? '') });
    }
  }
  return found.sort(inOrder);
}

function inOrder(a: Combination, b: Combination): number {
  if (a.rule !== b.rule) return a.rule - b.rule;
  if (a.of !== b.of) return a.of === 'resources' ? -1 : 1;
  const differing = a.positions.findIndex((at, i) => at !== b.positions[i]);
  return (a.positions[differing] ?? 0) - (b.positions[differing] ?? 0);
}

/** Returns the rules with missing permissions as they were written, each shortened. */
function formatShortRules(parts: readonly UncoveredPart[], desired: readonly PolicyRule[]): readonly string[] {
  const rules = [...new Set(parts.map(({ rule }) => rule))];
  const lines = rules
    .slice(0, MAX_SHOWN_RULES)
    .map((rule) => formatRule(desired[rule] ?? { verbs: [] }, MAX_SHOWN_VALUES));
  return rules.length > lines.length ? [...lines, `and ${rules.length - lines.length} more rules`] : lines;
}

function formatRule(rule: PolicyRule, maxValues = Number.POSITIVE_INFINITY): string {
  const fields: [string, readonly string[] | null | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = fields.filter(([, list]) => list?.length);
  return `{${shown.map(([name, list]) => `${name}:[${formatList(list ?? [], maxValues)}]`).join(', ')}}`;
}

function formatList(list: readonly string[], maxValues: number): string {
  const isWhole = maxValues === Number.POSITIVE_INFINITY;
  const shown = list.slice(0, maxValues).map((value) => goQuote(isWhole ? value : truncateValue(value)));
  return list.length > shown.length ? `${shown.join(' ')} and ${list.length - shown.length} more` : shown.join(' ');
}

function truncateValue(value: string): string {
  return value.length <= MAX_SHOWN_CHARACTERS ? value : `${value.slice(0, MAX_SHOWN_CHARACTERS)}...`;
}
