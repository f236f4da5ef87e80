import { describe, expect, test } from 'vitest';
import { ConfigError } from './errors.ts';
import { FakeClock } from './fake-clock.ts';
import { createMemoryLogger, type Logger, noopLogger } from './logger.ts';
import { createLogger, type LoggerOptions } from './pino-logger.ts';

const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** Returns the lines that a logger wrote. */
function logged(use: (log: Logger) => void, options: Partial<LoggerOptions> = {}): string[] {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const clock = new FakeClock({ start: START });
  use(createLogger({ level: 'debug', format: 'json', clock, destination, ...options }));
  return lines;
}

const json = (use: (log: Logger) => void) => logged(use).map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the JSON log', () => {
  test('writes an entry as one line with time, level, fields and message', () => {
    expect(logged((log) => log.info({ vm: 'a', count: 2 }, 'started'))).toEqual([
      '{"level":"info","time":"2026-01-02T03:04:05.678Z","vm":"a","count":2,"msg":"started"}\n',
    ]);
  });

  test('accepts a message alone, fields alone and an error alone', () => {
    const entries = json((log) => {
      log.warn('careful');
      log.debug({ a: 1 });
      log.error(new Error('boom'));
      log.error(new Error('boom'), 'while starting');
    });
    expect(entries).toMatchObject([
      { level: 'warn', msg: 'careful' },
      { level: 'debug', a: 1 },
      { level: 'error', msg: 'boom', err: { name: 'Error', message: 'boom' } },
      { level: 'error', msg: 'while starting', err: { message: 'boom' } },
    ]);
  });

  test('adds the fields of a child to each entry, and each key once', () => {
    const [line = ''] = logged((log) => {
      log.child({ controller: 'vm', key: 'a' }).child({ key: 'b', token: 'x' }).info({ key: 'c' }, 'm');
    });
    expect(JSON.parse(line)).toMatchObject({ controller: 'vm', key: 'c', token: '[redacted]' });
    expect(line.match(/"key"/g)).toHaveLength(1);
  });

  test('does not let a field replace the time, level or message', () => {
    expect(json((log) => log.info({ time: 1, level: 'x', msg: 'y' }, 'm'))).toEqual([
      { level: 'info', time: '2026-01-02T03:04:05.678Z', msg: 'm', time_: 1, level_: 'x', msg_: 'y' },
    ]);
  });

  test('skips levels below the configured one without reading their fields', () => {
    const trap = {
      get field(): string {
        throw new Error('read');
      },
    };
    const use = (log: Logger) => {
      log.debug(trap, 'd');
      log.info(trap, 'i');
      log.warn('w');
      log.error('e');
    };
    expect(logged(use, { level: 'warn' })).toHaveLength(2);
    expect(logged(use, { level: 'silent' })).toEqual([]);
  });

  test('writes no secrets in fields, child fields, messages or errors', () => {
    const secret = 'abcdef0123456789';
    const lines = logged((log) => {
      log.info({ request: { headers: { authorization: secret } } }, `sent Bearer ${secret}`);
      log.child({ user: { 'client-key-data': secret } }).info('m');
      log.error(new Error(`Bearer ${secret}`, { cause: { password: secret } }));
    });
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toContain(secret);
  });
});

describe('the text log', () => {
  const text = (use: (log: Logger) => void) => logged(use, { format: 'text' });

  test('writes an entry as one readable line', () => {
    const use = (log: Logger) => log.info({ vm: 'ns/a', tries: 2, why: 'no room', list: [1], empty: '' }, 'started');
    expect(text(use)).toEqual([
      '2026-01-02T03:04:05.678Z INFO  started vm=ns/a tries=2 why="no room" list=[1] empty=""\n',
    ]);
  });

  test('prints the stack of an error and the stacks of its causes', () => {
    const cause = new ConfigError('too small', { hint: 'ask for more' });
    const [line = ''] = text((log) => log.error(new Error('no start', { cause }), 'sync failed'));
    const [head, ...rest] = line.split('\n');
    expect(head).toBe('2026-01-02T03:04:05.678Z ERROR sync failed err="Error: no start"');
    expect(rest[0]).toBe('    Error: no start');
    expect(rest[1]).toMatch(/^ {8}at .*logger\.test\.ts/);
    expect(rest).toContain('    caused by: ConfigError: too small code=CONFIG hint="ask for more"');
  });

  test('prints all errors of an aggregate, and a cause that is not an error', () => {
    const error = new AggregateError([new Error('one'), 'two'], 'both', { cause: 'three' });
    const [line = ''] = text((log) => log.error(error));
    expect(line).toContain('one of: Error: one');
    expect(line).toContain('one of: two');
    expect(line).toContain('caused by: three');
  });

  test('escapes line breaks and terminal commands', () => {
    const [line = ''] = text((log) =>
      log.info({ a: 'x\ny', b: '\u001b[31m', c: '\u007f' }, 'first\nsecond\u001b[2J\u0085'),
    );
    expect(line.slice(0, -1)).not.toMatch(/\p{Cc}/u);
    expect(line).toContain('first\\nsecond');
  });
});

describe('loggers for tests', () => {
  test('keep entries in memory, also those of children, without secrets', async () => {
    const clock = new FakeClock({ start: 5 });
    const log = createMemoryLogger(clock);
    log.info('one');
    await clock.advance(10);
    log.child({ a: 1 }).warn({ password: 'p' }, 'two');
    expect(log.entries).toEqual([
      { level: 'info', message: 'one', fields: {}, time: 5 },
      { level: 'warn', message: 'two', fields: { a: 1, password: '[redacted]' }, time: 15 },
    ]);
  });

  test('can read and write nothing', () => {
    const trap = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('read');
      },
    });
    expect(() => noopLogger.error(trap, 'm')).not.toThrow();
  });
});
