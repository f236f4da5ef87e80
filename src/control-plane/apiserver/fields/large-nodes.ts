import { runSteps, type Steps } from '#platform/base/steps';
import { EMPTY, type FieldSet } from './field-set.ts';
import { type PathElement, SELF } from './path-element.ts';

/** Number of elements above which a node takes so long that others should run meanwhile. */
export const LARGE_NODE = 4_096;
/** Number of elements between two pauses, which takes a few milliseconds. */
const CHUNK = 4_096;

/** Represents a node under construction. */
export interface NodeDraft {
  [element: PathElement]: FieldSet;
}

/** Postponed work on large nodes; undefined if nothing runs it. */
let postponed: Steps<void>[] | undefined;

/** Returns a node that `fill` builds: at once, or after everything small if `withLargeNodes` runs it. */
export function largeNode(fill: (draft: NodeDraft) => Steps<void>): FieldSet {
  const draft: NodeDraft = {};
  const steps = fill(draft);
  if (postponed === undefined) runSteps(steps);
  else postponed.push(steps);
  return draft;
}

/** Builds field sets, with large nodes in steps. `make` must not read the nodes that it creates. */
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

/** Reports whether a pause is due after that many elements. */
export function isChunk(count: number): boolean {
  return count % CHUNK === 0;
}

/** Adds elements, which are sorted, to a node. */
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
