import type { AstNode, Call } from './ast.ts';
import {
  addRanges,
  exactRange,
  MAX_COST,
  multiply,
  ONE,
  type Range,
  type Shape,
  scale,
  UNKNOWN,
  ZERO,
} from './estimate.ts';
import type { Overload } from './library.ts';
import { isOptional, type Type, unwrapOptional } from './types.ts';

/** Known facts about an argument of a call. */
export interface Operand {
  readonly node: AstNode;
  readonly type: Type;
  readonly size: Range | undefined;
  readonly shape: Shape | undefined;
}

export interface CallEstimate {
  /** Cost of the call alone, without its arguments. */
  readonly cost: Range;
  /** Size of the result, if the call determines it. */
  readonly size: Range | undefined;
}

/** Estimates one form of calling a function. If undefined, the call costs one simple step. */
type Estimate = (call: {
  readonly node: Call;
  readonly overload: Overload | undefined;
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
}) => CallEstimate | undefined;

const TRAVERSAL = 0.1;
const PATTERN = 0.25;
const NAME_PATTERN = 128;
const ADDRESS: Range = { min: 4, max: 16 };

const size = (operand: Operand | undefined): Range => operand?.size ?? UNKNOWN;
const costing = (cost: Range, result?: Range): CallEstimate => ({ cost, size: result });

export function estimateCall(
  node: Call,
  overload: Overload | undefined,
  target: Operand | undefined,
  args: readonly Operand[],
): CallEstimate {
  return ESTIMATES.get(overload?.fn ?? node.fn)?.({ node, overload, target, args }) ?? costing(ONE);
}

/** Estimates a single pass over the receiver. */
const pass: Estimate = ({ target }) =>
  target === undefined ? undefined : costing(scale(size(target), TRAVERSAL), size(target));

/** Estimates a function that parses a text. As on the API server, only the method form is charged by length. */
const reading: Estimate = ({ target, args: [text] }) =>
  target === undefined ? undefined : costing(scale(size(text), TRAVERSAL));

const comparing: Estimate = ({ overload, args: [a, b] }) => {
  const kind = overload?.params[0]?.kind;
  if (kind !== 'string' && kind !== 'bytes' && kind !== 'param') return undefined;
  const max = Math.min(size(a).max, size(b).max);
  return costing(scale({ min: max > 0 ? 1 : 0, max }, TRAVERSAL));
};

const equal: Estimate = (call) => {
  const [a] = call.args;
  const type = a?.type;
  if (call.node.fn === '_==_' && type?.kind === 'opaque' && !isOptional(type)) return costing(ONE);
  return comparing(call);
};

/** Estimates a scan: lists item by item, texts character by character. */
const scanning: Estimate = ({ target }) => {
  if (target === undefined) return undefined;
  const item = itemOf(target);
  if (item === undefined) return costing(scale(size(target), TRAVERSAL));
  const each = ['string', 'bytes'].includes(item.type.kind) ? addRanges(ONE, scale(item.size, TRAVERSAL)) : ONE;
  return costing(multiply(size(target), each));
};

function itemOf({ type, shape }: Operand): { type: Type; size: Range } | undefined {
  const item = unwrapOptional(type).params[0];
  if (item === undefined) return undefined;
  return { type: item, size: shape?.items === undefined ? UNKNOWN : { min: 0, max: shape.items.most } };
}

const searching: Estimate = ({ node, target, args }) => {
  const text = target ?? (node.fn === 'matches' ? undefined : args[0]);
  if (text === undefined) return undefined;
  const letters = scale(addRanges(size(text), ONE), TRAVERSAL);
  const cost = multiply(letters, scale(size(args[0]), PATTERN));
  return costing(cost, node.fn === 'matches' ? undefined : { min: 0, max: size(text).max });
};

const joining: Estimate = ({ target, args: [separator] }) => {
  if (target === undefined) return undefined;
  const count = size(target);
  const items = multiply(count, itemOf(target)?.size ?? ZERO);
  const gaps = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
  const result = separator === undefined ? items : addRanges(items, multiply(size(separator), gaps));
  return costing(scale(result, TRAVERSAL), result);
};

/** Estimates a replacement. The longest result has the longest replacement wherever the shortest match can be. */
const replacing: Estimate = ({ target, args: [from, to] }) => {
  if (target === undefined) return undefined;
  const [text, old, fresh] = [size(target), size(from), size(to)];
  const max = old.min === 0 ? text.max + 1 : fresh.max <= old.min ? 0 : Math.ceil(text.max / old.min);
  const fewest = old.max === 0 ? text.min + 1 : old.max <= fresh.min ? 0 : Math.ceil(text.min / old.max);
  const kept = {
    min: old.max === 0 || old.max <= fresh.min ? text.min : 0,
    max: old.min === 0 || fresh.max <= old.min ? text.max : 0,
  };
  const result = addRanges(multiply({ min: fewest, max: Math.min(MAX_COST, max) }, fresh), kept);
  return costing(scale(text, 2 * TRAVERSAL), result);
};

const splitting: Estimate = ({ target, args: [, limit] }) => {
  if (target === undefined) return undefined;
  const literal = limit?.node.kind === 'literal' ? limit.node.value : undefined;
  const max = typeof literal === 'bigint' && literal >= 0n ? Number(literal) : size(target).max;
  return costing(scale(size(target), 2 * TRAVERSAL), { min: 0, max });
};

const plus: Estimate = ({ overload, args: [a, b] }) => {
  const kind = overload?.params[0]?.kind;
  const result = addRanges(size(a), size(b));
  if (kind === 'list') return costing(ONE, result);
  return kind === 'string' || kind === 'bytes' ? costing(scale(result, TRAVERSAL), result) : undefined;
};

const block =
  (extra: number): Estimate =>
  ({ overload, args: [inner] }) => {
    let cost = scale(addRanges(ADDRESS, ADDRESS), TRAVERSAL);
    if (extra > 0) cost = addRanges(addRanges(cost, scale(ADDRESS, TRAVERSAL)), exactRange(extra));
    if (overload?.params[1]?.kind === 'string') cost = addRanges(cost, scale(size(inner), TRAVERSAL));
    return costing(cost);
  };

/** Estimates a conversion between text and bytes: a character takes between one and four bytes. */
const encoding =
  (kind: 'string' | 'bytes'): Estimate =>
  ({ overload, args: [value] }) => {
    if (overload?.params[0]?.kind !== kind) return undefined;
    const { min, max } = size(value);
    const result = kind === 'string' ? { min, max: Math.min(MAX_COST, max * 4) } : { min: Math.floor(min / 4), max };
    return costing(scale(size(value), TRAVERSAL), result);
  };

/** Estimates a size given by a number, which is known beforehand only for a literal. */
const counting: Estimate = ({ args: [count] }) => {
  const literal = count?.node.kind === 'literal' ? count.node.value : undefined;
  const result = typeof literal === 'bigint' ? exactRange(Math.max(0, Number(literal))) : UNKNOWN;
  return costing(addRanges(ONE, result), result);
};

const ESTIMATES: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ...['lowerAscii', 'upperAscii', 'substring', 'trim'].map((name) => [name, pass] as const),
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name) => [name, scanning] as const),
  ...['matches', 'find', 'findAll'].map((name) => [name, searching] as const),
  ...['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'].map((name) => [name, reading] as const),
  ...['_<_', '_<=_', '_>_', '_>=_'].map((name) => [name, comparing] as const),
  ...['_==_', '_!=_'].map((name) => [name, equal] as const),
  ...['startsWith', 'endsWith'].map(
    (name) =>
      [name, ({ args: [part] }: { args: readonly Operand[] }) => costing(scale(size(part), TRAVERSAL))] as const,
  ),
  ['url', ({ args: [text] }) => costing(scale(size(text), TRAVERSAL), size(text))],
  ['replace', replacing],
  ['split', splitting],
  ['join', joining],
  ['_+_', plus],
  ['bytes', encoding('string')],
  ['string', encoding('bytes')],
  ['containsIP', block(0)],
  ['containsCIDR', block(1)],
  [
    'contains',
    ({ target, args: [part] }) => costing(multiply(scale(size(target), TRAVERSAL), scale(size(part), TRAVERSAL))),
  ],
  ['@in', ({ overload, args: [, list] }) => (overload?.params[1]?.kind === 'list' ? costing(size(list)) : undefined)],
  ['validate', ({ args: [text] }) => costing(scale(scale(size(text), TRAVERSAL), NAME_PATTERN * PATTERN))],
  [
    'strings.quote',
    ({ args: [text] }) => costing(scale(size(text), TRAVERSAL), addRanges(scale(size(text), 2), exactRange(2))),
  ],
  ['format', ({ target }) => costing(scale(size(target), TRAVERSAL))],
  ['check', () => costing(exactRange(350_000))],
  ['lists.range', counting],
]);
