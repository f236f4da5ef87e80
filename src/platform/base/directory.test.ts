import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { reportSkipped } from '#testing/programs';
import { createDirectory } from './directory.ts';

const scratch = mkdtempSync(join(tmpdir(), 'vimana-folder-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('a directory is created with its parents, once', () => {
  const path = join(scratch, 'a/b/c');
  expect(createDirectory(path, 0o700)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(createDirectory(path)).toBe(false);
});

test('a file at the path is an error', () => {
  writeFileSync(join(scratch, 'file'), '');
  expect(() => createDirectory(join(scratch, 'file/below'))).toThrow(/EEXIST|ENOTDIR/);
});

const hasProc = existsSync('/proc/self');
if (!hasProc) reportSkipped('a file system that takes no folders, because /proc is the one at hand');

test.skipIf(!hasProc)('a file system without directories is an error', () => {
  expect(() => createDirectory('/proc/nothing/here')).toThrow('ENOENT');
});
