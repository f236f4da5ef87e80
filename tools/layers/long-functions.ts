import { parseSync, Visitor } from 'oxc-parser';
import type { SourceFile } from './imports.ts';
import { TEST_SUPPORT } from './table.ts';

/** Maximum length of a function in lines. It then fits on one screen. */
const MAX_LINES = 60;

interface LongFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

/** Reports functions that do not fit on one screen, one sentence each. */
export function longFunctionViolations(files: readonly SourceFile[]): string[] {
  // Test suites are functions around their tests, whatever their length.
  return files
    .filter(({ path }) => !TEST_SUPPORT.test(path))
    .flatMap(({ path, text }) =>
      longFunctionsIn(path, text).map(
        ({ name, line, lines }) => `${path}:${line}: ${name} has ${lines} lines, more than ${MAX_LINES}: split it`,
      ),
    );
}

function longFunctionsIn(path: string, source: string): LongFunction[] {
  // Most files are too short to contain a long function, and parsing takes most of the time.
  if (countLines(source) <= MAX_LINES) return [];
  const found: LongFunction[] = [];
  const names = new Map<number, string>();
  const note = ({ start, end, id }: { start: number; end: number; id?: { name: string } | null }) => {
    const lines = countLines(source.slice(start, end));
    const name = id?.name ?? names.get(start) ?? 'a function';
    if (lines > MAX_LINES) found.push({ name, line: countLines(source.slice(0, start)), lines });
  };
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (init !== null && id.type === 'Identifier') names.set(init.start, id.name);
    },
    MethodDefinition({ key, value }) {
      names.set(value.start, source.slice(key.start, key.end));
    },
    Property({ key, value }) {
      names.set(value.start, source.slice(key.start, key.end));
    },
    FunctionDeclaration: note,
    FunctionExpression: note,
    ArrowFunctionExpression: note,
  }).visit(parseSync(path, source).program);
  return found;
}

function countLines(text: string): number {
  return text.split('\n').length;
}
