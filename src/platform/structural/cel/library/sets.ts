import { equals } from '../equality.ts';
import { fn, type Library } from '../library.ts';
import type { List, StepCounter, Value } from '../values.ts';

/** Returns a membership test for a list. It is immediate for scalars, of which most lists consist. */
function membership(list: List): (value: Value, counter: StepCounter) => boolean {
  const scalars = new Set<Value>();
  const others: Value[] = [];
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (typeof item === 'string' || typeof item === 'boolean') scalars.add(item);
    else others.push(item);
  }
  return (value, counter) => {
    if (scalars.has(value)) return true;
    counter.counter(others.length);
    return others.some((other) => equals(other, value, counter));
  };
}

function contains(list: List, part: List, counter: StepCounter): boolean {
  counter.counter(2 * (list.size + part.size));
  const has = membership(list);
  for (let i = 0; i < part.size; i++) if (!has(part.at(i), counter)) return false;
  return true;
}

function intersects(a: List, b: List, counter: StepCounter): boolean {
  counter.counter(2 * (a.size + b.size));
  const has = membership(a);
  for (let i = 0; i < b.size; i++) if (has(b.at(i), counter)) return true;
  return false;
}

export const SETS: Library = {
  overloads: [
    fn('sets.contains', 'list(A), list(A) -> bool', contains),
    fn(
      'sets.equivalent',
      'list(A), list(A) -> bool',
      (a: List, b: List, counter: StepCounter) => contains(a, b, counter) && contains(b, a, counter),
    ),
    fn('sets.intersects', 'list(A), list(A) -> bool', intersects),
  ],
};
