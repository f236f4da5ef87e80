import type { AstNode, Call, ListNode, Literal } from './ast.ts';
import type { Checked } from './checker.ts';
import { childrenOf } from './children.ts';
import { isPattern } from './library/regex.ts';
import { formatTypeProblem, readTemplate } from './library/text-format.ts';
import type { Issue } from './source.ts';
import { parseCelDuration, parseTimestamp } from './time.ts';
import { DYN, formatType, isOptional, type Type, unwrapOptional } from './types.ts';
import { EvaluationError, type Value } from './values.ts';

/** Rejects expressions that are invalid although their types match: malformed literals, and lists of mixed types. */
export function validate(root: AstNode, checked: Checked, issues: Issue[]): void {
  const visit = (node: AstNode, isArguments: boolean): void => {
    if (node.kind === 'call') checkLiterals(node, checked, issues);
    if (node.kind === 'list' && !isArguments) homogeneous(node.items, checked, issues);
    if (node.kind === 'map') {
      homogeneous(
        node.entries.map(({ key }) => key),
        checked,
        issues,
      );
      if (!isArguments) {
        homogeneous(
          node.entries.map(({ value }) => value),
          checked,
          issues,
        );
      }
    }
    const formats = node.kind === 'call' && node.fn === 'format' && node.target !== undefined;
    for (const child of childrenOf(node)) visit(child, isArguments || formats);
  };
  visit(root, false);
}

const LITERALS: ReadonlyMap<string, (value: Value) => boolean> = new Map([
  ['duration', (value) => typeof value === 'string' && parseCelDuration(value) !== undefined],
  [
    'timestamp',
    (value) =>
      typeof value === 'bigint'
        ? value >= -62_135_596_800n && value <= 253_402_300_799n
        : typeof value === 'string' && parseTimestamp(value) !== undefined,
  ],
]);

function checkLiterals(node: Call, checked: Checked, issues: Issue[]): void {
  const { fn, target, args } = node;
  const [first] = args;
  const pattern = fn === 'matches' ? args.at(-1) : undefined;
  if (pattern?.kind === 'literal' && typeof pattern.value === 'string' && !isPattern(pattern.value)) {
    issues.push({ offset: pattern.at, message: 'invalid matches argument' });
  }
  if (fn === 'format' && target?.kind === 'literal' && first?.kind === 'list') {
    checkFormat(node, target, first, checked, issues);
  }
  const isValid = target === undefined ? LITERALS.get(fn) : undefined;
  if (isValid !== undefined && first?.kind === 'literal' && !isValid(first.value)) {
    issues.push({ offset: first.at, message: `invalid ${fn} argument` });
  }
}

/** Finds clauses that can never be filled, before there is any data. */
function checkFormat(node: Call, template: Literal, args: ListNode, checked: Checked, issues: Issue[]): void {
  if (typeof template.value !== 'string') return;
  let next = 0;
  try {
    for (const part of readTemplate(template.value)) {
      if (typeof part === 'string') continue;
      const item = args.items[next];
      const message =
        item === undefined
          ? `index ${next} out of range`
          : formatTypeProblem(part.verb, checked.types.get(item) ?? DYN);
      if (message !== undefined) {
        issues.push({ offset: item?.at ?? node.at, message });
        return;
      }
      next++;
    }
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    issues.push({ offset: template.at, message: error.message });
  }
}

function homogeneous(nodes: readonly AstNode[], checked: Checked, issues: Issue[]): void {
  const typed = (node: AstNode): Type | undefined => {
    const type = checked.types.get(node);
    return type !== undefined && isOptional(type) ? unwrapOptional(type) : type;
  };
  const [first, ...rest] = nodes;
  const desired = first === undefined ? undefined : typed(first);
  if (desired === undefined) return;
  for (const node of rest) {
    const type = typed(node);
    if (type === undefined || type.kind === 'error' || desired.kind === 'error') continue;
    if (formatType(type) === formatType(desired)) continue;
    const message = `expected type '${formatType(desired)}' but found '${formatType(type)}'`;
    issues.push({ offset: node.at, message });
    return;
  }
}
