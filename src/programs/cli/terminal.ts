import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from './io.ts';
import { Questions } from './questions.ts';

const questions = new Questions();

/** Accesses the real terminal and file system. */
export const terminal: Io = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  read: (path) => readFileSync(path === '-' ? 0 : path, 'utf8'),
  manifestsAt: (path) => {
    if (path === '-' || !statSync(path).isDirectory()) return [path];
    return globSync('**/*.{yaml,yml,json}', { cwd: path })
      .sort()
      .map((name) => join(path, name));
  },
  ...(process.stdin.isTTY && process.stdout.isTTY ? { ask: (question: string) => questions.ask(question) } : {}),
};
