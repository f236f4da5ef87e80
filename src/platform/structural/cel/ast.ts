import type { Value } from './values.ts';

/** A parsed expression; `at` is the offset that messages point to. */
export type Node = Literal | Ident | Select | Call | ListNode | MapNode | StructNode | Fold | Bind;

export interface Literal {
  readonly kind: 'literal';
  readonly at: number;
  readonly value: Value;
}

export interface Ident {
  readonly kind: 'ident';
  readonly at: number;
  readonly name: string;
}

export interface Select {
  readonly kind: 'select';
  readonly at: number;
  readonly operand: Node;
  readonly field: string;
  /** has(operand.field) instead of the field itself. */
  readonly test: boolean;
  /** operand.?field */
  readonly optional: boolean;
}

export interface Call {
  readonly kind: 'call';
  readonly at: number;
  readonly fn: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
}

export interface ListNode {
  readonly kind: 'list';
  readonly at: number;
  readonly items: readonly Node[];
  /** Positions of items written ?item, which are left out where they hold nothing. */
  readonly optional: ReadonlySet<number>;
}

export interface MapNode {
  readonly kind: 'map';
  readonly at: number;
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly at: number;
  readonly key: Node;
  readonly value: Node;
  readonly optional: boolean;
}

/** A message that is built: Object.metadata{name: 'a', ?labels: x}. */
export interface StructNode {
  readonly kind: 'struct';
  readonly at: number;
  readonly name: string;
  readonly fields: readonly StructField[];
}

export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Node;
  readonly optional: boolean;
}

/** A loop over a list or map, which is what most macros become. */
export interface Fold {
  readonly kind: 'fold';
  readonly at: number;
  readonly range: Node;
  readonly iter: string;
  /** With two variables the first is the index or key and this the value. */
  readonly iter2: string | undefined;
  readonly init: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

/** Gives a value a name inside the body. */
export interface Bind {
  readonly kind: 'bind';
  readonly at: number;
  readonly name: string;
  readonly value: Node;
  readonly body: Node;
}

/** What a fold has computed so far; no source text can spell it. */
export const ACCUMULATOR = '@result';

export const literal = (at: number, value: Value): Literal => ({ kind: 'literal', at, value });
export const ident = (at: number, name: string): Ident => ({ kind: 'ident', at, name });
export const call = (at: number, fn: string, ...args: Node[]): Call => ({
  kind: 'call',
  at,
  fn,
  target: undefined,
  args,
});
export const method = (at: number, target: Node, fn: string, ...args: Node[]): Call => ({
  kind: 'call',
  at,
  fn,
  target,
  args,
});
export const bind = (at: number, name: string, value: Node, body: Node): Bind => ({
  kind: 'bind',
  at,
  name,
  value,
  body,
});
export const list = (at: number, ...items: Node[]): ListNode => ({ kind: 'list', at, items, optional: new Set() });

/** a.b.c as text, or undefined where the node is no chain of names. */
export function qualifiedName(node: Node): string | undefined {
  if (node.kind === 'ident') return node.name;
  if (node.kind !== 'select' || node.test || node.optional) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}
