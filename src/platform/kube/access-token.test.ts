import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccessToken, openAccessToken, tokenFileOf } from './access-token.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'vimana-token-'));
});
afterAll(() => rmSync(directory, { recursive: true }));
const textOf = (file: string) => readFileSync(file, 'utf8').trim();

describe('a token', () => {
  it('is new at every start, readable only by its owner, and deleted at the end', () => {
    const file = join(directory, 'tokens', '127.0.0.1_8000');
    const token = createAccessToken(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'tokens')).mode & 0o777).toBe(0o700);
    const first = textOf(file);
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(token.matches(first)).toBe(true);
    for (const wrong of ['', first.slice(0, -1), `${first}x`, first.toLowerCase()])
      expect(token.matches(wrong)).toBe(false);
    const next = createAccessToken(file);
    expect(next.matches(first)).toBe(false);
    token.remove();
    expect(next.matches(textOf(file))).toBe(true);
    next.remove();
    expect(existsSync(file)).toBe(false);
  });

  it('of an administrator is used unchanged, and stays', () => {
    const file = join(directory, 'own');
    writeFileSync(file, 'sixteen-letters-\n', { mode: 0o640 });
    const token = openAccessToken(file);
    expect(token.matches('sixteen-letters-')).toBe(true);
    token.remove();
    expect(existsSync(file)).toBe(true);
  });

  it('is created at the path of an administrator', () => {
    const file = join(directory, 'made');
    expect(openAccessToken(file).matches(textOf(file))).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('that is short or readable by others is rejected without being shown', () => {
    const file = join(directory, 'bad');
    writeFileSync(file, 'hunter2', { mode: 0o600 });
    expect(() => openAccessToken(file)).toThrow(/shorter than 16/);
    expect(() => openAccessToken(file)).not.toThrow(/hunter2/);
    writeFileSync(file, 'x'.repeat(32));
    chmodSync(file, 0o644);
    expect(() => openAccessToken(file)).toThrow(/can be read by every user/);
    expect(() => openAccessToken(directory)).toThrow(/cannot be used/);
  });

  it('has a path derived from the address of its server', () => {
    expect(tokenFileOf('127.0.0.1', 8000)).toMatch(/\/vimana\/tokens\/127\.0\.0\.1_8000$/);
    expect(tokenFileOf('::1', 8000)).toMatch(/\/--1_8000$/);
    expect(tokenFileOf('../../x', 1)).toMatch(/\/tokens\/\.\.-\.\.-x_1$/);
  });
});
