import { append } from '#platform/base/append';
import { ACCUMULATOR, type AstNode, type Call, type Fold } from './ast.ts';
import { CREATE_LIST, CREATE_MAP } from './call-cost.ts';
import { type CallEstimate, estimateCall, type Operand } from './call-estimates.ts';
import type { Checked } from './checker.ts';
import { addRanges, exactRange, multiply, ONE, type Range, type Shape, UNKNOWN, union, ZERO } from './estimate.ts';
import { runeCount } from './text.ts';
import { isOptional, type Type, unwrapOptional } from './types.ts';

/** Static facts about the value of a node. */
interface Known {
  readonly cost: Range;
  readonly size: Range | undefined;
  /**
   * Shape of the value. Undefined for values outside any schema, null for values that the schema does not determine.
   */
  readonly shape: Shape | null | undefined;
  /** Sizes of the contents of a list or map. */
  readonly entries: Entries | undefined;
}

interface Entries {
  readonly key: Range;
  readonly value: Range;
}

type Local = Omit<Known, 'cost'>;

/** Estimates bounds of the cost of an expression from the sizes that the schema gives for its variables. */
export function estimateCost(root: AstNode, checked: Checked, shapes: ReadonlyMap<string, Shape>): Range {
  return new Estimator(checked, shapes).visit(root).cost;
}

class Estimator {
  readonly #checked: Checked;
  readonly #shapes: ReadonlyMap<string, Shape>;
  readonly #locals: { readonly name: string; readonly known: Local }[] = [];

  readonly #whole: Shape | undefined;

  constructor(checked: Checked, shapes: ReadonlyMap<string, Shape>) {
    this.#checked = checked;
    this.#shapes = shapes;
    this.#whole = shapes.values().next().value;
  }

  visit(node: AstNode): Known {
    switch (node.kind) {
      case 'literal':
        return { cost: ZERO, size: exactRange(literalSize(node.value)), shape: undefined, entries: undefined };
      case 'ident':
        return this.#ident(node);
      case 'select': {
        const operand = this.visit(node.operand);
        if (node.test) return this.#known(node, operand.cost);
        const type = unwrapOptional(this.#type(node.operand));
        const priced = type.kind === 'map' || type.kind === 'object';
        const shape = node.optional ? undefined : this.#below(operand.shape, (known) => known.fields?.get(node.field));
        return this.#known(node, priced ? addRanges(operand.cost, ONE) : operand.cost, shape);
      }
      case 'list': {
        const items = node.items.map((item) => this.visit(item));
        const size = exactRange(items.length);
        const entries = { key: ONE, value: unionOf(items.map(sizeOf)) };
        return { cost: addRanges(sum(items), exactRange(CREATE_LIST)), size, shape: undefined, entries };
      }
      case 'map': {
        const keys = node.entries.map(({ key }) => this.visit(key));
        const values = node.entries.map(({ value }) => this.visit(value));
        const entries = { key: unionOf(keys.map(sizeOf)), value: unionOf(values.map(sizeOf)) };
        const cost = addRanges(addRanges(sum(keys), sum(values)), exactRange(CREATE_MAP));
        return { cost, size: exactRange(keys.length), shape: undefined, entries };
      }
      case 'call':
        return this.#call(node);
      case 'fold':
        return this.#fold(node);
      case 'bind': {
        const value = this.visit(node.value);
        const body = this.#within([{ name: node.name, known: value }], () => this.visit(node.body));
        return { ...body, cost: addRanges(addRanges(body.cost, value.cost), exactRange(CREATE_LIST)) };
      }
      case 'struct':
        return { cost: ZERO, size: undefined, shape: undefined, entries: undefined };
    }
  }

  #type(node: AstNode): Type {
    return this.#checked.types.get(node) as Type;
  }

  /** Returns the shape of a part. The API server treats a part of a value outside any schema as the whole object. */
  #below(shape: Shape | null | undefined, part: (shape: Shape) => Shape | undefined): Shape | null | undefined {
    if (shape === undefined) return this.#whole;
    return shape === null ? null : (part(shape) ?? null);
  }

  /** Returns the facts of a node. Its size comes from its shape, or from its type if that has only one size. */
  #known(node: AstNode, cost: Range, shape?: Shape | null, entries?: Entries): Known {
    const size =
      shape !== undefined && shape !== null
        ? { min: 0, max: shape.most }
        : isScalar(this.#type(node))
          ? ONE
          : undefined;
    return { cost, size, shape, entries };
  }

  #ident(node: Extract<AstNode, { kind: 'ident' }>): Known {
    const local = this.#locals.findLast(({ name }) => name === node.name)?.known;
    // The API server also treats unknown names, such as those of types, as the whole object.
    if (local === undefined) return this.#known(node, ONE, this.#shapes.get(node.name) ?? this.#whole);
    const known = this.#known(node, ONE, local.shape, local.entries);
    return { ...known, size: known.size ?? local.size };
  }

  #call(node: Call): Known {
    const overloads = this.#checked.overloads.get(node) ?? [];
    const isMethod = overloads[0]?.isMethod === true;
    const args = node.args.map((arg) => this.visit(arg));
    const operands = node.args.map((arg, i) => this.#operand(arg, args[i] as Known));
    const target = isMethod && node.target !== undefined ? this.visit(node.target) : undefined;
    const first = args[0];
    if (node.fn === 'dyn' && first !== undefined)
      return { ...first, shape: undefined, cost: addRanges(first.cost, ONE) };
    if (node.fn === '_&&_' || node.fn === '_||_') {
      const [left = ZERO, right = ZERO] = args.map(({ cost }) => cost);
      return this.#known(node, { min: left.min, max: addRanges(left, right).max });
    }
    if (node.fn === '_?_:_') return conditional(args);
    let estimate: CallEstimate | undefined;
    for (const overload of overloads.length > 0 ? overloads : [undefined]) {
      const each = estimateCall(
        node,
        overload,
        target === undefined ? undefined : this.#operand(node.target as AstNode, target),
        operands,
      );
      estimate = estimate === undefined ? each : either(estimate, each);
    }
    const cost = addRanges(addRanges(estimate?.cost ?? ONE, sum(args)), target?.cost ?? ZERO);
    const isIndex = node.fn === '_[_]' && this.#type(node.args[0] as AstNode).kind !== 'opaque';
    const shape = isIndex ? this.#below(first?.shape, ({ items }) => items) : undefined;
    const known = this.#known(node, cost, shape, joinedEntries(node, args));
    return { ...known, size: estimate?.size ?? (isIndex ? first?.entries?.value : undefined) ?? known.size };
  }

  #operand(node: AstNode, known: Known): Operand {
    return { node, type: this.#type(node), size: known.size, shape: known.shape ?? undefined };
  }

  #fold(node: Fold): Known {
    const range = this.visit(node.range);
    const init = this.visit(node.init);
    const isList = this.#type(node.range).kind === 'list';
    const below = (part: (shape: Shape) => Shape | undefined) => this.#below(range.shape, part);
    const key: Local = { size: range.entries?.key, shape: below(({ keys }) => keys), entries: undefined };
    const value: Local = { size: range.entries?.value, shape: below(({ items }) => items), entries: undefined };
    const index: Local = { size: ONE, shape: null, entries: undefined };
    const accumulator = { name: ACCUMULATOR, known: { size: init.size, shape: undefined, entries: init.entries } };
    const bound =
      node.iter2 === undefined
        ? [{ name: node.iter, known: isList ? value : key }]
        : [
            { name: node.iter, known: isList ? index : key },
            { name: node.iter2, known: value },
          ];
    const [condition, step] = this.#within([accumulator, ...bound], () => [
      this.visit(node.condition),
      this.visit(node.step),
    ]);
    const result = this.#within([accumulator], () => this.visit(node.result));
    const count = range.size ?? UNKNOWN;
    const loop = multiply(count, addRanges(condition?.cost ?? ZERO, step?.cost ?? ZERO));
    const cost = addRanges(addRanges(range.cost, init.cost), addRanges(result.cost, loop));
    const collects = node.init.kind === 'list' || node.init.kind === 'map';
    return { cost, size: collects ? count : init.size, shape: undefined, entries: step?.entries };
  }

  #within<T>(locals: readonly { name: string; known: Local }[], run: () => T): T {
    append(this.#locals, locals);
    const result = run();
    this.#locals.length -= locals.length;
    return result;
  }
}

const sizeOf = ({ size }: Known): Range => size ?? UNKNOWN;
const sum = (parts: readonly Known[]): Range => parts.reduce((total, { cost }) => addRanges(total, cost), ZERO);

function unionOf(ranges: readonly Range[]): Range {
  return ranges.length === 0 ? ZERO : ranges.reduce(union);
}

function either(a: CallEstimate, b: CallEstimate): CallEstimate {
  const size = a.size === undefined || b.size === undefined ? (a.size ?? b.size) : union(a.size, b.size);
  return { cost: union(a.cost, b.cost), size };
}

function conditional([condition, yes, no]: readonly Known[]): Known {
  if (condition === undefined || yes === undefined || no === undefined) throw new Error('a ternary has three operands');
  const entries =
    yes.entries === undefined || no.entries === undefined
      ? undefined
      : { key: union(yes.entries.key, no.entries.key), value: union(yes.entries.value, no.entries.value) };
  const size = union(sizeOf(yes), sizeOf(no));
  return { cost: addRanges(condition.cost, union(yes.cost, no.cost)), size, shape: undefined, entries };
}

function joinedEntries(node: Call, args: readonly Known[]): Entries | undefined {
  const [a, b] = args.map(({ entries }) => entries);
  if (node.fn !== '_+_' || a === undefined || b === undefined) return undefined;
  return { key: union(a.key, b.key), value: union(a.value, b.value) };
}

function isScalar(type: Type): boolean {
  if (isOptional(type)) return isScalar(unwrapOptional(type));
  return ['bool', 'int', 'uint', 'double', 'duration', 'timestamp'].includes(type.kind);
}

function literalSize(value: unknown): number {
  if (typeof value === 'string') return runeCount(value);
  return value instanceof Uint8Array ? value.length : 1;
}
