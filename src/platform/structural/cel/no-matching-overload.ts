import { typeOfValue } from './value-type.ts';
import { EvaluationError, noSuchOverload, type Value } from './values.ts';

const NUMBERS = ['int', 'uint', 'double'];
const ORDERED = [...NUMBERS, 'bool', 'string', 'bytes', 'timestamp', 'duration'];

/** Types that each operator accepts on its left. */
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
/** Types with methods, which are tried before an operator fails on them. */
const RECEIVERS = new Set(['string', 'timestamp', 'duration']);
const BUILT_IN = new Set(['startsWith', 'endsWith', 'contains', 'matches', 'containsIP', 'containsCIDR']);

/**
 * Creates the error for values that match no overload, as the API server words it: operators name themselves for an
 * operand that they never accept, other built-in functions give no details, and libraries list the argument types.
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
