import { typeOfValue } from './value-type.ts';
import { EvaluationError, noSuchOverload, type Value } from './values.ts';

const NUMBERS = ['int', 'uint', 'double'];
const ORDERED = [...NUMBERS, 'bool', 'string', 'bytes', 'timestamp', 'duration'];

/** What each operator can at all take on its left. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  '_+_': [...NUMBERS, 'string', 'bytes', 'list', 'timestamp', 'duration'],
  '_-_': [...NUMBERS, 'timestamp', 'duration'],
  '_*_': NUMBERS,
  '_/_': NUMBERS,
  '_%_': ['int', 'uint'],
  '-_': ['int', 'double', 'bool'],
  '_<_': ORDERED,
  '_<=_': ORDERED,
  '_>_': ORDERED,
  '_>=_': ORDERED,
};
/** These have methods, and are asked for one before an operator gives up on them. */
const RECEIVERS = new Set(['string', 'timestamp', 'duration']);
const BUILT_IN = new Set(['startsWith', 'endsWith', 'contains', 'matches', 'containsIP', 'containsCIDR']);

/**
 * Why no overload takes the values, as the API server words it: operators name themselves to an operand that they
 * never take, other built-in functions say nothing more, and libraries tell what they were given.
 */
export function noMatchingOverload(name: string, args: readonly Value[]): EvaluationError {
  if (name === 'size') return new EvaluationError('no such overload: size');
  const [first = null] = args;
  const { kind } = typeOfValue(first);
  const operands = OPERANDS[name];
  if (operands !== undefined && !operands.includes(kind) && !RECEIVERS.has(kind)) {
    return new EvaluationError(`no such overload: ${name}`);
  }
  if (operands !== undefined || BUILT_IN.has(name) || !/^[a-z]/.test(name)) return noSuchOverload();
  return new EvaluationError(`no such overload: ${name}(${args.map((arg) => typeOfValue(arg).name).join(', ')})`);
}
