import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPrivateDirectory, writePrivateFile } from './private-file.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'private-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('a file is replaced as a whole, and other users can no longer read it', () => {
  const path = join(directory, 'secret');
  writeFileSync(path, 'old and long', { mode: 0o644 });
  chmodSync(path, 0o644);
  writePrivateFile(path, 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(['secret']);
});

test('a file that cannot be replaced is unchanged, and no temporary file remains', () => {
  mkdirSync(join(directory, 'taken'));
  expect(() => writePrivateFile(join(directory, 'taken'), 'new')).toThrow();
  expect(readdirSync(directory)).toEqual(['taken']);
});

test('a directory is created with its parents, and its permissions are restricted', () => {
  const path = join(directory, 'a', 'b');
  createPrivateDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  chmodSync(path, 0o755);
  createPrivateDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});
