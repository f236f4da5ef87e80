import { ParseError } from '#platform/base/errors';
import { goQuote } from '#platform/base/go-value';
import { indexedMatcher } from './indexed-matcher.ts';
import { parseLabelRequirements } from './label-parser.ts';
import {
  formatRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  labelRequirement,
  matcherOf,
} from './label-requirement.ts';

/** Selects objects by their labels. All requirements must hold. */
export interface LabelSelector {
  /**
   * Requirements, sorted by key. Empty both for a selector that matches everything and for one that matches nothing.
   */
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Labels | null | undefined): boolean;
  /** Returns the canonical text, which parses to the same selector. */
  toString(): string;
}

/** Selector as written in objects, such as `spec.selector` of a Deployment. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Labels | null;
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | null }[]
    | null;
}

const NO_LABELS: Labels = {};

export const everything: LabelSelector = { requirements: [], matches: () => true, toString: () => '' };
export const nothing: LabelSelector = { requirements: [], matches: () => false, toString: () => '' };

/** Parses the text of `?labelSelector=`. Throws a ParseError with the message of the API server. */
export function parseLabelSelector(text: string): LabelSelector {
  return selectorOf(parseLabelRequirements(text));
}

/** Reads a selector from an object. An absent one matches nothing, an empty one everything. */
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

/** Returns the selector for objects that have at least these labels, such as `spec.selector` of a Service. */
export function labelSelectorOfSet(labels: Labels | null | undefined): LabelSelector {
  return labelSelectorOf({ matchLabels: labels ?? {} });
}

const SPEC_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** Number of requirements up to which it is faster to evaluate one after the other. */
const FEW = 8;

function selectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  if (requirements.length === 0) return everything;
  const sorted = requirements.toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
  const matches = sorted.length > FEW ? indexedMatcher(sorted) : matcherOfFew(sorted);
  return {
    requirements: sorted,
    matches: (labels) => matches(labels ?? NO_LABELS),
    toString: () => sorted.map(formatRequirement).join(','),
  };
}

function matcherOfFew(requirements: readonly LabelRequirement[]): (labels: Labels) => boolean {
  const matchers = requirements.map(matcherOf);
  const [only, second] = matchers;
  if (only !== undefined && second === undefined) return only;
  return (labels) => {
    for (const matches of matchers) if (!matches(labels)) return false;
    return true;
  };
}
