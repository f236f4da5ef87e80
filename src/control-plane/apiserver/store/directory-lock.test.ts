import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isDirectoryLocked, lockDirectory } from './directory-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'vimana-lock-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a directory is locked until it is released, and checking the lock changes nothing', () => {
  const directory = join(folder, 'data');
  expect(isDirectoryLocked(directory)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  const release = lockDirectory(directory);
  // Looking twice does not release the lock.
  expect([isDirectoryLocked(directory), isDirectoryLocked(directory)]).toEqual([true, true]);
  expect(() => lockDirectory(directory)).toThrow('is in use by another store');
  release();
  expect(isDirectoryLocked(directory)).toBe(false);
  lockDirectory(directory)();
});
