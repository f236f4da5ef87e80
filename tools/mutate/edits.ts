import type { CallExpression, Expression, Node } from 'oxc-parser';

/** A replacement of part of a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['%', '*'],
  ['&&', '||'],
  ['||', '&&'],
  ['??', '&&'],
  ['+=', '-='],
  ['-=', '+='],
  ['*=', '/='],
  ['/=', '*='],
]);

const METHODS: ReadonlyMap<string, string> = new Map([
  ['min', 'max'],
  ['max', 'min'],
  ['some', 'every'],
  ['every', 'some'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
]);

/** Methods whose call can be left out, because they return a value like the one they are called on. */
const DROPPED_METHODS = new Set(['filter', 'toSorted', 'toReversed', 'slice', 'trim', 'toLowerCase']);

/** Returns the changes of one node, without those of its parts. */
export function editsOf(node: Node, text: string): Edit[] {
  const textOf = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
  const replace = ({ start, end }: { start: number; end: number }, replacement: string) => [
    { start, end, replacement },
  ];
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression': {
      if (node.operator === '+' && [node.left, node.right].some(isString)) return [];
      return operatorEdit(node, text);
    }
    case 'UnaryExpression':
      return node.operator === '!' ? replace(node, textOf(node.argument)) : [];
    case 'Literal':
      return replaceLiteral(node.value, (replacement) => replace(node, replacement));
    case 'IfStatement':
      return replace(node.test, `!(${textOf(node.test)})`);
    case 'ConditionalExpression':
      return replace(node, `(${textOf(node.test)} ? ${textOf(node.alternate)} : ${textOf(node.consequent)})`);
    case 'ContinueStatement':
      return node.label === null ? replace(node, 'break;') : [];
    case 'ExpressionStatement':
      return isCall(node.expression) ? replace(node, ';') : [];
    case 'ArrayExpression':
      return node.elements.length > 0 ? replace(node, '[]') : [];
    case 'CallExpression':
      return callEdit(node, text);
    default:
      return [];
  }
}

function operatorEdit({ left, right, operator }: { left: Node; right: Node; operator: string }, text: string): Edit[] {
  const other = OPERATORS.get(operator);
  if (other === undefined) return [];
  // A comment between the operands might contain the operator, so it is looked for from the right.
  const start = left.end + text.slice(left.end, right.start).lastIndexOf(operator);
  return [{ start, end: start + operator.length, replacement: other }];
}

function replaceLiteral(value: unknown, replace: (replacement: string) => Edit[]): Edit[] {
  if (typeof value === 'boolean') return replace(String(!value));
  return typeof value === 'number' ? replace(String(value + 1)) : [];
}

function callEdit({ callee, end }: CallExpression, text: string): Edit[] {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return [];
  const { object, property } = callee;
  const other = METHODS.get(property.name);
  if (other !== undefined) return [{ start: property.start, end: property.end, replacement: other }];
  if (!DROPPED_METHODS.has(property.name) || callee.optional) return [];
  return text.slice(object.start, object.end) === 'Buffer' ? [] : [{ start: object.end, end, replacement: '' }];
}

/** Adding to a text is never a subtraction, and the other operators make no sense for it. */
function isString({ type, ...node }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && 'value' in node && typeof node.value === 'string');
}

function isCall(expression: Expression): boolean {
  const called = expression.type === 'AwaitExpression' ? expression.argument : expression;
  return called.type === 'CallExpression' && called.callee.type !== 'Super';
}
