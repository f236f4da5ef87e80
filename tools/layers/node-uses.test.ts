import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { describe, expect, it } from 'vitest';
import { importsOf, targetOf } from './imports.ts';
import { NODE_DIRECTORIES, TEST_SUPPORT } from './table.ts';
import { mayImportNode } from './violations.ts';

/** Packages that do not run in a browser. */
const NODE_PACKAGES = new Set(['@peculiar/x509', 'commander', 'lmdb', 'pino', 'prom-client', 'undici', 'ws']);
const GLOBALS = /\b(?:Buffer|process)\.\w/;

/** Reports whether a file needs Node.js itself, or another file that may use it. */
function needsNode(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (GLOBALS.test(text)) return true;
  return importsOf(file, text).some(({ specifier, typeOnly = false }) => {
    if (typeOnly) return false;
    const target = targetOf(file, specifier);
    return target === undefined ? isBuiltin(specifier) || NODE_PACKAGES.has(specifier) : mayImportNode(target);
  });
}

describe('what may import modules of Node.js', () => {
  it.each(NODE_DIRECTORIES)('imports them: %s', (entry) => {
    const files = entry.endsWith('.ts') ? [`src/${entry}`] : globSync(`src/${entry}/**/*.ts`);
    expect(files.filter((file) => !TEST_SUPPORT.test(file)).some(needsNode)).toBe(true);
  });

  it('is listed once', () => {
    expect(NODE_DIRECTORIES).toEqual([...new Set(NODE_DIRECTORIES)]);
    expect(NODE_DIRECTORIES.filter((a) => NODE_DIRECTORIES.some((b) => a.startsWith(`${b}/`)))).toEqual([]);
  });
});
