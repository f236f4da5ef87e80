import { describe, expect, test } from 'vitest';
import { ConfigError, ParseError, TemporaryError, TerminalError, UsageError, VimanaError } from './errors.ts';

describe('errors', () => {
  test.each([
    [new UsageError('m'), 'USAGE', 'UsageError'],
    [new ConfigError('m'), 'CONFIG', 'ConfigError'],
    [new TemporaryError('m'), 'TEMPORARY', 'TemporaryError'],
    [new TerminalError('m'), 'TERMINAL', 'TerminalError'],
    [new ParseError('m'), 'PARSE', 'ParseError'],
    [new TerminalError('m', { code: 'IMAGE_NOT_FOUND' }), 'IMAGE_NOT_FOUND', 'TerminalError'],
    [new TemporaryError('m', { code: 'CONFLICT' }), 'CONFLICT', 'TemporaryError'],
  ])('%s have the stable code %s and their own name', (error, code, name) => {
    expect(error).toBeInstanceOf(VimanaError);
    expect(error).toBeInstanceOf(Error);
    expect([error.code, error.name, error.message]).toEqual([code, name, 'm']);
    expect(error.stack).toMatch(new RegExp(`^${name}: m\\n[^]*errors\\.test\\.ts`));
  });

  test('keep the cause and the hint, and omit missing ones', () => {
    const cause = new Error('disk full');
    const error = new ConfigError('cannot write', { cause, hint: 'free some space' });
    expect(error.cause).toBe(cause);
    expect(error.hint).toBe('free some space');
    expect('cause' in new ConfigError('m')).toBe(false);
    expect('hint' in new ConfigError('m')).toBe(false);
  });

  test('that are temporary have a delay only if it is known', () => {
    expect(new TemporaryError('m', { retryAfterMs: 250 }).retryAfterMs).toBe(250);
    expect('retryAfterMs' in new TemporaryError('m')).toBe(false);
  });
});
