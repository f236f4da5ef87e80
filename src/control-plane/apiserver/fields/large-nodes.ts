import { runSteps, type Steps } from '#platform/base/steps';
import { EMPTY, type FieldSet } from './field-set.ts';
import { type PathElement, SELF } from './path-element.ts';

/** A node with more elements takes long enough that others may want a turn meanwhile. */
export const LARGE_NODE = 4_096;
/** Elements between two turns: a few milliseconds. */
const CHUNK = 4_096;

/** A node that is being made. */
export interface NodeDraft {
  [element: PathElement]: FieldSet;
}

/** The work on large nodes that is left for later; undefined where nobody drives it. */
let postponed: Steps<void>[] | undefined;

/** A node that `fill` makes: at once, or where `withLargeNodes` drives it, after everything that is small. */
export function largeNode(fill: (draft: NodeDraft) => Steps<void>): FieldSet {
  const draft: NodeDraft = {};
  const steps = fill(draft);
  if (postponed === undefined) runSteps(steps);
  else postponed.push(steps);
  return draft;
}

/** Makes field sets, the large nodes among them in steps. What `make` does must not look into nodes that it made. */
export function* withLargeNodes<T>(make: () => T): Steps<T> {
  const steps: Steps<void>[] = [];
  const outer = postponed;
  postponed = steps;
  let made: T;
  try {
    made = make();
  } finally {
    postponed = outer;
  }
  for (const one of steps) {
    yield;
    yield* one;
  }
  return made;
}

/** Whether a turn is due after so many elements. */
export function isChunk(count: number): boolean {
  return count % CHUNK === 0;
}

/** Puts elements, which are in order, into a node. */
export function* fillNode(
  draft: NodeDraft,
  member: boolean,
  elements: readonly PathElement[],
  children: readonly FieldSet[],
): Steps<void> {
  if (member) draft[SELF] = EMPTY;
  for (let i = 0; i < elements.length; i++) {
    if (isChunk(i)) yield;
    draft[elements[i] as PathElement] = children[i] as FieldSet;
  }
}
