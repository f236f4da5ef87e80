import type { Value } from './values.ts';

/** Parsed expression. `at` is the offset that messages point to. */
export type AstNode = Literal | Ident | Select | Call | ListNode | MapNode | StructNode | Fold | Bind;

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
  readonly operand: AstNode;
  readonly field: string;
  /** Tests has(operand.field) instead of selecting the field. */
  readonly test: boolean;
  /** Selects optionally: operand.?field */
  readonly optional: boolean;
}

export interface Call {
  readonly kind: 'call';
  readonly at: number;
  readonly fn: string;
  readonly target: AstNode | undefined;
  readonly args: readonly AstNode[];
}

export interface ListNode {
  readonly kind: 'list';
  readonly at: number;
  readonly items: readonly AstNode[];
  /** Indexes of items written ?item, which are left out if they hold nothing. */
  readonly optional: ReadonlySet<number>;
}

export interface MapNode {
  readonly kind: 'map';
  readonly at: number;
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly at: number;
  readonly key: AstNode;
  readonly value: AstNode;
  readonly optional: boolean;
}

/** Construction of a message: Object.metadata{name: 'a', ?labels: x}. */
export interface StructNode {
  readonly kind: 'struct';
  readonly at: number;
  readonly name: string;
  readonly fields: readonly StructField[];
}

export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: AstNode;
  readonly optional: boolean;
}

/** Loop over a list or map, to which most macros expand. */
export interface Fold {
  readonly kind: 'fold';
  readonly at: number;
  readonly range: AstNode;
  readonly iter: string;
  /** Second variable: it holds the value, and the first one the index or key. */
  readonly iter2: string | undefined;
  readonly init: AstNode;
  readonly condition: AstNode;
  readonly step: AstNode;
  readonly result: AstNode;
}

/** Binds a value to a name in the body. */
export interface Bind {
  readonly kind: 'bind';
  readonly at: number;
  readonly name: string;
  readonly value: AstNode;
  readonly body: AstNode;
}

/** Name of a fold's accumulator. No source text can spell it. */
export const ACCUMULATOR = '@result';

export const literal = (at: number, value: Value): Literal => ({ kind: 'literal', at, value });
export const ident = (at: number, name: string): Ident => ({ kind: 'ident', at, name });
export const call = (at: number, fn: string, ...args: AstNode[]): Call => ({
  kind: 'call',
  at,
  fn,
  target: undefined,
  args,
});
export const methodCall = (at: number, target: AstNode, fn: string, ...args: AstNode[]): Call => ({
  kind: 'call',
  at,
  fn,
  target,
  args,
});
export const bind = (at: number, name: string, value: AstNode, body: AstNode): Bind => ({
  kind: 'bind',
  at,
  name,
  value,
  body,
});
export const listLiteral = (at: number, ...items: AstNode[]): ListNode => ({
  kind: 'list',
  at,
  items,
  optional: new Set(),
});

/** Returns a.b.c as text, or undefined if the node is not a chain of names. */
export function qualifiedName(node: AstNode): string | undefined {
  if (node.kind === 'ident') return node.name;
  if (node.kind !== 'select' || node.test || node.optional) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}
