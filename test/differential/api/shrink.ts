import type { Difference } from './difference.ts';
import type { Answer } from './session.ts';
import type { Sequence, Step } from './step.ts';

/** Runs a shorter sequence and returns its first difference. */
export type Replay = (sequence: Sequence) => Promise<Difference | undefined>;

export interface Shrunk {
  readonly sequence: Sequence;
  readonly difference: Difference;
}

/** Removes steps, then parts of bodies and queries, while the same request still differs. */
export async function shrink(found: Shrunk, replay: Replay, tries = 120): Promise<Shrunk> {
  let best: Shrunk = { ...found, sequence: upTo(found) };
  let left = tries;
  const attempt = async (steps: readonly Step[]): Promise<boolean> => {
    if (left-- <= 0) return false;
    const sequence = { ...best.sequence, steps };
    const difference = await replay(sequence);
    if (difference === undefined || !alike(difference, found.difference)) return false;
    best = { sequence: { ...sequence, steps: steps.slice(0, difference.at + 1) }, difference };
    return true;
  };
  for (let at = best.sequence.steps.length - 2; at >= 0; at--) {
    if (at < best.sequence.steps.length - 1) await attempt(best.sequence.steps.toSpliced(at, 1));
  }
  for (let at = best.sequence.steps.length - 1; at >= 0; at--) {
    let changed = true;
    while (changed) {
      changed = false;
      for (const smaller of smallerSteps(best.sequence.steps[at] as Step)) {
        changed = await attempt(best.sequence.steps.with(at, smaller));
        if (changed || left <= 0) break;
      }
    }
  }
  return best;
}

function upTo({ sequence, difference }: Shrunk): Sequence {
  return { ...sequence, steps: sequence.steps.slice(0, difference.at + 1) };
}

/** Reports whether a difference is of the same kind, so that shrinking does not switch to another one. */
function alike(a: Difference, b: Difference): boolean {
  return (
    wordsOf(a.ours) === wordsOf(b.ours) &&
    wordsOf(a.theirs) === wordsOf(b.theirs) &&
    a.ours.status === b.ours.status &&
    a.theirs.status === b.theirs.status &&
    a.step.method === b.step.method &&
    a.step.contentType === b.step.contentType
  );
}

/** Returns the beginning of a message without names and values. */
function wordsOf({ body }: Answer): string {
  const { message = '' } = (body ?? {}) as { message?: string };
  return message.replaceAll(/"[^"]*"|\d+/g, '').slice(0, 60);
}

function* smallerSteps(step: Step): Generator<Step> {
  if (step.until !== undefined) return;
  for (const key of Object.keys(step.query ?? {})) {
    yield { ...step, query: Object.fromEntries(Object.entries(step.query ?? {}).filter(([name]) => name !== key)) };
  }
  if (typeof step.body !== 'object') return;
  for (const body of smallerValues(step.body, 0)) yield { ...step, body };
}

/** Returns the value with one field or item removed, outer ones first. */
function* smallerValues(value: unknown, depth: number): Generator {
  if (typeof value !== 'object' || value === null || depth > 8) return;
  if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.toSpliced(at, 1);
    for (const [at, item] of value.entries())
      for (const smaller of smallerValues(item, depth + 1)) yield value.with(at, smaller);
    return;
  }
  const entries = Object.entries(value);
  for (const [at] of entries.entries()) yield Object.fromEntries(entries.toSpliced(at, 1));
  for (const [at, [key, inner]] of entries.entries()) {
    for (const smaller of smallerValues(inner, depth + 1)) yield Object.fromEntries(entries.with(at, [key, smaller]));
  }
}
