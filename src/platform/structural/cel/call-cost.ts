import { List, Mapping, Opaque, type Value } from './values.ts';

/** Cost of traversing a character, and a character of a pattern. */
const TRAVERSAL = 0.1;
const PATTERN = 0.25;
const NAME_PATTERN = 128;

export const SELECT = 1;
export const CREATE_LIST = 10;
export const CREATE_MAP = 30;
export const CREATE_STRUCT = 40;
/** Cost of a step of work that CEL does not charge: a twentieth of the cheapest call. */
export const STEP_COST = 1 / 20;

/** Cost of a call by the sizes of its operands, known before the call. */
export type CallCost = (a: Value, b: Value) => number;

/** Returns the size of a value as size() does, or one for a value without a size. */
function sizeOf(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (value instanceof List || value instanceof Mapping || value instanceof Opaque) return value.size;
  return 1;
}

const once: CallCost = () => 1;
const traverse =
  (factor: number): CallCost =>
  (a) =>
    Math.ceil(sizeOf(a) * factor);
const search: CallCost = (a, b) => Math.ceil((1 + sizeOf(a)) * TRAVERSAL) * Math.ceil(sizeOf(b) * PATTERN);
const smaller: CallCost = (a, b) => Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * TRAVERSAL);
const compareCost: CallCost = (a, b) => (typeof a === 'string' || a instanceof Uint8Array ? smaller(a, b) : 1);
const isText = (value: Value): boolean => typeof value === 'string' || value instanceof Uint8Array;

/**
 * Returns the traversal cost. Lists of numbers are by far the most common, so each item counts one and only texts count
 * more.
 */
function traversal(value: Value): number {
  if (isText(value)) return Math.floor(sizeOf(value) * TRAVERSAL);
  return value instanceof List ? value.size : 1;
}

const contains: CallCost = (a, b) => Math.ceil(sizeOf(a) * TRAVERSAL) * Math.ceil(sizeOf(b) * TRAVERSAL);
const block =
  (extra: number): CallCost =>
  (a, b) =>
    Math.ceil(sizeOf(a) * (2 + extra) * TRAVERSAL) + extra + (isText(b) ? Math.ceil(sizeOf(b) * TRAVERSAL) : 0);

const PRICES: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...['startsWith', 'endsWith', 'url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'cidr', 'isIP', 'isCIDR'].map(
    (name) => [name, traverse(TRAVERSAL)] as const,
  ),
  ...['quantity', 'isQuantity', 'semver', 'isSemver', 'ip', 'format', 'strings.quote', 'charAt'].map(
    (name) => [name, traverse(TRAVERSAL)] as const,
  ),
  ...['replace', 'split', 'ip.isCanonical'].map((name) => [name, traverse(2 * TRAVERSAL)] as const),
  ...['matches', 'find', 'findAll'].map((name) => [name, search] as const),
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf', 'join'].map((name) => [name, traversal] as const),
  ...['_<_', '_<=_', '_>_', '_>=_'].map((name) => [name, compareCost] as const),
  ['_==_', smaller],
  ['_!=_', smaller],
  ['string', (a) => (a instanceof Uint8Array ? Math.ceil(a.length * TRAVERSAL) : 1)],
  ['bytes', (a) => (typeof a === 'string' ? Math.ceil(a.length * TRAVERSAL) : 1)],
  ['_+_', (a, b) => (isText(a) ? Math.ceil((sizeOf(a) + sizeOf(b)) * TRAVERSAL) : 1)],
  ['@in', (_, b) => (b instanceof List ? b.size : 1)],
  ['contains', contains],
  ['containsIP', block(0)],
  ['containsCIDR', block(1)],
  ['validate', (_, b) => Math.ceil((1 + sizeOf(b)) * TRAVERSAL) * Math.ceil(NAME_PATTERN * PATTERN)],
  ['check', () => 350_000],
]);

export function callCost(fn: string): CallCost {
  return PRICES.get(fn) ?? once;
}
