import type { Labels } from '#platform/kube/selectors/label-requirement';
import {
  type LabelSelector,
  type LabelSelectorSpec,
  labelSelectorOf,
  nothing,
} from '#platform/kube/selectors/label-selector';

/** A selector with a key that is equal for equal selectors. */
export interface NamedSelector {
  readonly key: string;
  readonly matches: (labels: Labels | undefined) => boolean;
  /** Reports whether it matches everything because it has no requirements. */
  readonly empty: boolean;
}

const MAX_SELECTORS = 2_000;
const known = new Map<string, NamedSelector>();

/** Parses and caches a selector, since the pods of one owner share it. An invalid selector matches nothing. */
export function selectorOf(spec: LabelSelectorSpec | null | undefined): NamedSelector {
  const key = spec === null || spec === undefined ? '-' : JSON.stringify(spec);
  let selector = known.get(key);
  if (selector === undefined) {
    const read = tryRead(spec);
    selector = {
      key,
      matches: (labels) => read.matches(labels),
      empty: read !== nothing && read.requirements.length === 0,
    };
    if (known.size >= MAX_SELECTORS) known.clear();
    known.set(key, selector);
  }
  return selector;
}

function tryRead(spec: LabelSelectorSpec | null | undefined): LabelSelector {
  try {
    return labelSelectorOf(spec);
  } catch {
    return nothing;
  }
}
