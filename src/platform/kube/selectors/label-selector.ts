import { ParseError } from '#platform/base/errors';
import { goQuote } from '#platform/base/go-value';
import { parseLabelRequirements } from './label-parser.ts';
import {
  formatRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  labelRequirement,
  matcherOf,
} from './label-requirement.ts';

/** Chooses objects by their labels: all requirements must hold. */
export interface LabelSelector {
  /** Sorted by key. Empty both for what matches everything and for what matches nothing. */
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Labels | null | undefined): boolean;
  /** The canonical text, which parses to the same selector. */
  toString(): string;
}

/** A selector as it stands in objects: `spec.selector` of a Deployment and the like. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Labels | null;
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | null }[]
    | null;
}

const NO_LABELS: Labels = {};

export const everything: LabelSelector = { requirements: [], matches: () => true, toString: () => '' };
export const nothing: LabelSelector = { requirements: [], matches: () => false, toString: () => '' };

/** Reads the text of `?labelSelector=`; throws a ParseError with the message of the API server. */
export function parseLabelSelector(text: string): LabelSelector {
  return selectorOf(parseLabelRequirements(text));
}

/** Reads a selector out of an object: an absent one matches nothing, an empty one everything. */
export function labelSelectorOf(spec: LabelSelectorSpec | null | undefined): LabelSelector {
  if (spec === null || spec === undefined) return nothing;
  const requirements = Object.entries(spec.matchLabels ?? {}).map(([key, value]) =>
    labelRequirement(key, '=', [value]),
  );
  for (const { key, operator, values } of spec.matchExpressions ?? []) {
    const known = SPEC_OPERATORS.get(operator);
    if (known === undefined) throw new ParseError(`${goQuote(operator)} is not a valid label selector operator`);
    requirements.push(labelRequirement(key, known, values ?? []));
  }
  return selectorOf(requirements);
}

/** The selector for objects that have exactly these labels, and perhaps more: `spec.selector` of a Service. */
export function labelSelectorOfSet(labels: Labels | null | undefined): LabelSelector {
  return labelSelectorOf({ matchLabels: labels ?? {} });
}

const SPEC_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function selectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  if (requirements.length === 0) return everything;
  const sorted = requirements.toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
  const matchers = sorted.map(matcherOf);
  const [only, second] = matchers;
  const matchesAll = (labels: Labels): boolean => {
    for (const matches of matchers) if (!matches(labels)) return false;
    return true;
  };
  const matches = only !== undefined && second === undefined ? only : matchesAll;
  return {
    requirements: sorted,
    matches: (labels) => matches(labels ?? NO_LABELS),
    toString: () => sorted.map(formatRequirement).join(','),
  };
}
