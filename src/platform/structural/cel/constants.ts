import { append } from '#platform/base/append';
import type { AstNode } from './ast.ts';
import type { Checked } from './checker.ts';
import { childrenOf } from './children.ts';
import { fits, typeOfValue } from './value-type.ts';
import { EvaluationError, type Value } from './values.ts';

/** Calls whose result depends only on their argument. */
const CONVERSIONS = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes']);
const PATTERNS = new Set(['find', 'findAll']);

/**
 * Returns the error of a call on constants that can only fail. The API server finds it when it prepares the expression.
 */
export function constantProblem(root: AstNode, checked: Checked): string | undefined {
  const open: AstNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const problem = callProblem(node, checked);
    if (problem !== undefined) return problem;
    append(open, childrenOf(node));
  }
  return undefined;
}

function callProblem(node: AstNode, checked: Checked): string | undefined {
  if (node.kind !== 'call') return undefined;
  const isPattern = PATTERNS.has(node.fn) && node.target !== undefined;
  if (!isPattern && !(CONVERSIONS.has(node.fn) && node.target === undefined && node.args.length === 1))
    return undefined;
  const arg = node.args[0];
  if (arg?.kind !== 'literal') return undefined;
  const operands: Value[] = isPattern ? ['', arg.value, 0n] : [arg.value];
  const overloads = checked.overloads.get(node) ?? [];
  const overload = overloads.find(({ params }) => params.every((type, i) => fits(type, operands[i] ?? null)));
  if (overload === undefined) return `no such overload: ${node.fn}(${typeOfValue(arg.value).name})`;
  try {
    overload.apply(...operands.slice(0, overload.params.length), { counter() {} });
    return undefined;
  } catch (error) {
    if (error instanceof EvaluationError) return error.message;
    throw error;
  }
}
