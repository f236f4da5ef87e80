import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasColors } from './color.ts';
import type { Io } from './io.ts';
import { Questions } from './questions.ts';

const questions = new Questions();

const MIN_COLUMNS = 20;

/** Replaces the last line. A line that is wider than the terminal would leave parts of itself behind. */
function rewriteLine(text: string): void {
  const { columns } = process.stderr;
  process.stderr.write(`\r\u001B[K${text.slice(0, Math.max(MIN_COLUMNS, columns) - 1)}`);
}

/** Accesses the real terminal and file system. */
export const terminal: Io = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  colors: {
    out: hasColors(process.stdout.isTTY, process.env),
    err: hasColors(process.stderr.isTTY, process.env),
  },
  read: (path) => readFileSync(path === '-' ? 0 : path, 'utf8'),
  manifestsAt: (path) => {
    if (path === '-' || !statSync(path).isDirectory()) return [path];
    return globSync('**/*.{yaml,yml,json}', { cwd: path })
      .sort()
      .map((name) => join(path, name));
  },
  get streams() {
    // The streams are opened only by commands that use them.
    const { stdin, stdout } = process;
    return { input: stdin, output: stdout, setRaw: (raw: boolean) => void (stdin.isTTY && stdin.setRawMode(raw)) };
  },
  ...(process.stderr.isTTY ? { rewrite: rewriteLine } : {}),
  ...(process.stdin.isTTY && process.stdout.isTTY ? { ask: (question: string) => questions.ask(question) } : {}),
};
