import type { AstNode } from './ast.ts';

/** Returns the nodes directly below a node. */
export function childrenOf(node: AstNode): readonly AstNode[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'fold':
      return [node.range, node.init, node.condition, node.step, node.result];
    case 'bind':
      return [node.value, node.body];
    default:
      return [];
  }
}
