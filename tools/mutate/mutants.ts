import { type Node, parseSync } from 'oxc-parser';
import { type Edit, editsOf } from './edits.ts';

/** One small change of one source file that a test should notice. */
export interface Mutant extends Edit {
  /** Path from the repository's root. */
  readonly path: string;
  readonly line: number;
  /** The code that the change replaces. */
  readonly original: string;
}

/** Statements whose only effect is a line in the log, which is not worth a test of its own. */
const LOGS = /^(?:await )?(?:this\.|deps\.)?(?:log|logger)\??\./;

/** Examples of kinds are documentation, which `npm run check` compares with the generated reference. */
const EXAMPLE = /^example:/;

function isUntested({ type, start, end }: Node, text: string): boolean {
  const untested = type === 'ExpressionStatement' ? LOGS : type === 'Property' ? EXAMPLE : undefined;
  return untested?.test(text.slice(start, end)) === true;
}

/** Returns the mutants of a source file, in the order of their positions. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const found: Mutant[] = [];
  visit(program, (node) => {
    if (isUntested(node, text)) return false;
    for (const edit of editsOf(node, text)) {
      const line = text.slice(0, edit.start).split('\n').length;
      found.push({ ...edit, path, line, original: text.slice(edit.start, edit.end) });
    }
    return true;
  });
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** Applies a mutant to the text of its file. */
export function mutate(text: string, { start, end, replacement }: Edit): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** Wrappers that exist only for the type checker around an expression that runs. */
const TYPED_EXPRESSIONS = new Set([
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSInstantiationExpression',
]);

/** Visits every node that runs, and leaves out imports and types. `enter` returns whether to visit the node's parts. */
function visit(node: Node, enter: (node: Node) => boolean): void {
  if (node.type === 'ImportDeclaration') return;
  if (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type)) return;
  if (!enter(node)) return;
  for (const value of Object.values(node)) {
    for (const part of Array.isArray(value) ? value : [value]) if (isNode(part)) visit(part, enter);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
}
