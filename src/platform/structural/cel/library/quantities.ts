import {
  add,
  compare,
  parseQuantity,
  type Quantity,
  quantityOf,
  sub,
  toNumber,
  tryParseQuantity,
} from '#platform/base/quantity';
import { fn, type Library, method, typeConstant } from '../library.ts';
import { opaque } from '../types.ts';
import { EvaluationError, Opaque } from '../values.ts';

const QUANTITY = opaque('kubernetes.Quantity');
const NANO = 1_000_000_000n;

const wrap = (quantity: Quantity): Opaque => new Opaque(QUANTITY, quantity, quantity.nano);
const of = (value: Opaque): Quantity => value.data as Quantity;
const ofInt = (value: bigint): Quantity => quantityOf(value);

/** Result for the last text, cached because rules check whether a text is a quantity before they parse it. */
let last: { readonly text: string; readonly value: Opaque | undefined } | undefined;

function tryRead(text: string): Opaque | undefined {
  if (last?.text === text) return last.value;
  const quantity = tryParseQuantity(text);
  last = { text, value: quantity && wrap(quantity) };
  return last.value;
}

function read(text: string): Opaque {
  const value = tryRead(text);
  if (value !== undefined) return value;
  try {
    return wrap(parseQuantity(text));
  } catch (error) {
    throw new EvaluationError((error as Error).message);
  }
}

function isInteger({ data }: Opaque): boolean {
  const { nano } = data as Quantity;
  const units = nano / NANO;
  return nano % NANO === 0n && units < 2n ** 63n && units >= -(2n ** 63n);
}

function asInteger(value: Opaque): bigint {
  if (!isInteger(value)) throw new EvaluationError('cannot convert value to integer');
  return of(value).nano / NANO;
}

const sign = (value: Opaque): bigint => BigInt(compare(of(value), ofInt(0n)));

export const QUANTITIES: Library = {
  constants: new Map([typeConstant(QUANTITY)]),
  overloads: [
    fn('quantity', 'string -> kubernetes.Quantity', read),
    fn('isQuantity', 'string -> bool', (text: string) => tryRead(text) !== undefined),
    fn('sign', 'kubernetes.Quantity -> int', sign),
    method('isInteger', 'kubernetes.Quantity -> bool', isInteger),
    method('asInteger', 'kubernetes.Quantity -> int', asInteger),
    method('asApproximateFloat', 'kubernetes.Quantity -> double', (a: Opaque) => toNumber(of(a))),
    method('add', 'kubernetes.Quantity, kubernetes.Quantity -> kubernetes.Quantity', (a: Opaque, b: Opaque) =>
      wrap(add(of(a), of(b))),
    ),
    method('add', 'kubernetes.Quantity, int -> kubernetes.Quantity', (a: Opaque, b: bigint) =>
      wrap(add(of(a), ofInt(b))),
    ),
    method('sub', 'kubernetes.Quantity, kubernetes.Quantity -> kubernetes.Quantity', (a: Opaque, b: Opaque) =>
      wrap(sub(of(a), of(b))),
    ),
    method('sub', 'kubernetes.Quantity, int -> kubernetes.Quantity', (a: Opaque, b: bigint) =>
      wrap(sub(of(a), ofInt(b))),
    ),
    method(
      'isLessThan',
      'kubernetes.Quantity, kubernetes.Quantity -> bool',
      (a: Opaque, b: Opaque) => compare(of(a), of(b)) < 0,
    ),
    method(
      'isGreaterThan',
      'kubernetes.Quantity, kubernetes.Quantity -> bool',
      (a: Opaque, b: Opaque) => compare(of(a), of(b)) > 0,
    ),
    method('compareTo', 'kubernetes.Quantity, kubernetes.Quantity -> int', (a: Opaque, b: Opaque) =>
      BigInt(compare(of(a), of(b))),
    ),
  ],
};
