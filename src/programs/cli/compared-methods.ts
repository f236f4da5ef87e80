import { InvalidArgumentError } from 'commander';
import { ALGORITHMS } from '#fleet/rebalance/algorithms';
import { MODES } from '#fleet/rebalance/buckets';
import { PLANNERS } from '#fleet/rebalance/planners';
import type { Method } from '#fleet/rebalance/rebalancing';

/** Method to compare, as the user wrote it. Parts that it does not name come from the flags. */
export interface ComparedMethod {
  readonly name: string;
  /** Absent if VMs are not rebalanced. */
  readonly parts?: Partial<Method>;
}

const NONE = 'none';

/**
 * Parses methods such as `none,max-metric/fewest-moves`. Each is `none` or names an algorithm, a planner and a mode, in any
 * order; all may be omitted but one.
 */
export function comparedMethods(text: string): readonly ComparedMethod[] {
  const names = text.split(',').map((name) => name.trim());
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (names.length < 2) throw new InvalidArgumentError('Name at least two methods, such as none,max-metric.');
  if (repeated !== undefined) throw new InvalidArgumentError(`${repeated} is named twice.`);
  return names.map((name) => (name === NONE ? { name } : { name, parts: partsOf(name) }));
}

function partsOf(name: string): Partial<Method> {
  const parts: Partial<Method> = {};
  for (const word of name.split('/')) {
    const found = partOf(word);
    const [kind] = Object.keys(found);
    if (kind === undefined) {
      const known = [NONE, ...[ALGORITHMS, PLANNERS, MODES].flatMap((all) => all.map(({ id }) => id))];
      throw new InvalidArgumentError(`${word} is not a method. It must be one of ${known.join(', ')}.`);
    }
    if (kind in parts) throw new InvalidArgumentError(`${name} names two ${kind}s.`);
    Object.assign(parts, found);
  }
  return parts;
}

function partOf(word: string): Partial<Method> {
  const algorithm = ALGORITHMS.find(({ id }) => id === word);
  const planner = PLANNERS.find(({ id }) => id === word);
  const mode = MODES.find(({ id }) => id === word);
  return { ...(algorithm && { algorithm }), ...(planner && { planner }), ...(mode && { mode }) };
}
