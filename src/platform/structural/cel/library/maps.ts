import { fn, type Library } from '../library.ts';
import { ValueMap } from '../value-map.ts';
import { EvaluationError, type Mapping, type StepCounter, type Value } from '../values.ts';
import { formatKey } from './operators.ts';

/** Returns a copy with more entries. An existing key is an error. */
function insertAll(map: Mapping, entries: Iterable<readonly [Value, Value]>, counter: StepCounter): Mapping {
  // The map that a macro builds is not shared yet, and copying it each time would be slow.
  const built = map instanceof ValueMap ? map : new ValueMap();
  for (const [key, value] of entries) {
    counter.counter(1);
    if (built.has(key)) throw new EvaluationError(`insert failed: key ${formatKey(key)} already exists`);
    built.set(key, value);
  }
  return built;
}

function* entriesOf(map: Mapping): Generator<readonly [Value, Value]> {
  for (const key of map.keys()) yield [key, map.get(key) ?? null];
}

/** Functions with which transformMap and transformMapEntry build their results. No source text can call them. */
export const MAPS: Library = {
  overloads: [
    fn(
      'cel.@mapInsert',
      'map(A, B), A, B -> map(A, B)',
      (map: Mapping, key: Value, value: Value, counter: StepCounter) => insertAll(map, [[key, value]], counter),
    ),
    fn('cel.@mapInsert', 'map(A, B), map(A, B) -> map(A, B)', (map: Mapping, more: Mapping, counter: StepCounter) =>
      insertAll(map, entriesOf(more), counter),
    ),
  ],
};
