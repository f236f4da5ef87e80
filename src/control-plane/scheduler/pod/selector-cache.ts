import type { Labels } from '#platform/kube/selectors/label-requirement';
import {
  type LabelSelector,
  type LabelSelectorSpec,
  labelSelectorOf,
  nothing,
} from '#platform/kube/selectors/label-selector';

/** A selector and a text that is the same for the same selector. */
export interface NamedSelector {
  readonly key: string;
  readonly matches: (labels: Labels | undefined) => boolean;
  /** Whether it matches everything because it asks for nothing. */
  readonly empty: boolean;
}

const MAX_SELECTORS = 2_000;
const known = new Map<string, NamedSelector>();

/** Reads a selector of an object; the pods of one owner all have the same. One that cannot be read matches nothing. */
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
