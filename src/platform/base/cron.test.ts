import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCron } from './cron.ts';
import { ParseError } from './errors.ts';

const at = (text: string) => Date.parse(text);
const iso = (instant: number | undefined) => (instant === undefined ? undefined : new Date(instant).toISOString());

/** Returns the first n runs after an instant. */
function runs(expression: string, after: string, timeZone: string, n: number): (string | undefined)[] {
  const schedule = parseCron(expression);
  const found: (string | undefined)[] = [];
  for (let time: number | undefined = at(after); found.length < n && time !== undefined; ) {
    time = schedule.next(time, timeZone);
    found.push(iso(time));
  }
  return found;
}

describe('parseCron', () => {
  test.each([
    ['* * * * *', '2026-01-01T00:01:00.000Z'],
    ['@hourly', '2026-01-01T01:00:00.000Z'],
    ['@daily', '2026-01-02T00:00:00.000Z'],
    ['@midnight', '2026-01-02T00:00:00.000Z'],
    ['@weekly', '2026-01-04T00:00:00.000Z'],
    ['@monthly', '2026-02-01T00:00:00.000Z'],
    ['@yearly', '2027-01-01T00:00:00.000Z'],
    ['@Annually', '2027-01-01T00:00:00.000Z'],
    ['  5/15   3  * * * ', '2026-01-01T03:05:00.000Z'],
    ['0 12 * jul Mon-Fri', '2026-07-01T12:00:00.000Z'],
    ['0 0 13 * 5', '2026-01-02T00:00:00.000Z'],
    ['0 0 * * 7', '2026-01-04T00:00:00.000Z'],
    ['0 0 29 2 ?', '2028-02-29T00:00:00.000Z'],
    ['0 0 30 2 *', undefined],
  ])('%s next runs at %s', (expression, expected) => {
    expect(iso(parseCron(expression).next(at('2026-01-01T00:00:00Z')))).toBe(expected);
    expect(parseCron(expression).expression).toBe(expression);
  });

  test.each([
    ['', 'expected 5 fields, found 0'],
    ['* * * *', 'expected 5 fields, found 4'],
    ['0 * * * * *', 'expected 5 fields, found 6; seconds are not supported'],
    ['* * * * * * *', 'expected 5 fields, found 7'],
    ['@reboot', 'unknown nickname'],
    ['constructor', 'expected 5 fields, found 1'],
    ['60 * * * *', 'minute 60 is not within 0-59'],
    ['* 24 * * *', 'hour'],
    ['* 24/1 * * *', 'hour 24 is not within 0-23'],
    ['* * 0/5 * *', 'day of month 0 is not within 1-31'],
    ['* * 0 * *', 'day'],
    ['* * * 13 *', 'month'],
    ['5-1 * * * *', 'larger'],
    ['*/0 * * * *', 'stepping'],
    ['* * L * *', 'cannot parse day of month "L" at "L"'],
    ['* * * * 5#2', 'cannot parse day of week "5#2"'],
    ['* * 1,15W * *', 'cannot parse day of month "1,15W" at "15W"'],
    ['* , * * *', 'cannot parse hour "," at ""'],
    ['2026-01-01T00:00:00', 'expected 5 fields, found 1'],
    ['a b c d e', 'cannot parse minute "a"'],
  ])('%j is rejected: %s', (expression, reason) => {
    expect(() => parseCron(expression)).toThrow(ParseError);
    expect(() => parseCron(expression)).toThrow(reason);
    expect(() => parseCron(expression)).toThrow(`invalid schedule "${expression}": `);
  });

  test('every accepted expression can be run', () => {
    const number = fc.integer({ min: 0, max: 62 }).map(String);
    const item = fc
      .tuple(fc.constantFrom('*', '?', ''), number, fc.constantFrom('', '-'), number, fc.constantFrom('', '/'), number)
      .map(([star, a, dash, b, slash, c]) => `${star || `${a}${dash && `-${b}`}`}${slash && `/${c}`}`);
    const field = fc.array(item, { minLength: 1, maxLength: 2 }).map((items) => items.join(','));
    fc.assert(
      fc.property(field, fc.nat({ max: 4 }), (text, place) => {
        const expression = ['*', '*', '*', '*', '*'].with(place, text).join(' ');
        let schedule: ReturnType<typeof parseCron>;
        try {
          schedule = parseCron(expression);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
          return;
        }
        expect(schedule.next(0)).toBeTypeOf('number');
      }),
      {
        numRuns: 500,
        examples: [
          ['7/1', 4],
          ['59/7', 0],
          ['07/2', 4],
        ],
      },
    );
  });

  test.each(['0 0 * * *', '0 * * * *'])('an unknown time zone is rejected by name: %s', (expression) => {
    expect(() => parseCron(expression).next(0, 'Mars/Base')).toThrow('unknown time zone "Mars/Base"');
  });
});

describe('the next run', () => {
  const field = (min: number, max: number) =>
    fc.oneof(
      fc.constant({ text: '*', has: () => true }),
      fc.integer({ min, max }).map((n) => ({ text: `${n}`, has: (v: number) => v === n })),
      fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        return { text: `${low}-${high}`, has: (v: number) => v >= low && v <= high };
      }),
      fc.integer({ min: 2, max: 7 }).map((step) => ({ text: `*/${step}`, has: (v: number) => (v - min) % step === 0 })),
    );

  test('is the first matching minute, compared with checking each minute', () => {
    const start = at('2026-02-26T00:00:00Z');
    fc.assert(
      fc.property(field(0, 59), field(0, 23), fc.integer({ min: 0, max: 3 * 86_400_000 }), (minute, hour, offset) => {
        const after = start + offset;
        const matches = (time: number) =>
          minute.has(new Date(time).getUTCMinutes()) && hour.has(new Date(time).getUTCHours());
        let expected = Math.floor(after / 60_000) * 60_000 + 60_000;
        while (!matches(expected)) expected += 60_000;
        expect(iso(parseCron(`${minute.text} ${hour.text} * * *`).next(after))).toBe(iso(expected));
      }),
    );
  });

  test('is always in the future, and no other run is before it', () => {
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata');
    const when = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') });
    const expression = fc.constantFrom('*/7 * * * *', '30 2 * * *', '0,30 1-3 * * *', '15 */2 * * *', '0 12 * * 1');
    fc.assert(
      fc.property(expression, zone, when, fc.nat(100), (text, timeZone, after, percent) => {
        const schedule = parseCron(text);
        const next = schedule.next(after, timeZone) ?? Number.NaN;
        expect(next).toBeGreaterThan(after);
        const between = after + Math.floor(((next - 1 - after) * percent) / 100);
        expect(schedule.next(between, timeZone)).toBe(next);
      }),
    );
  });
});

describe('when the clocks change', () => {
  test('a skipped time runs as soon as the clocks have jumped, and only once', () => {
    expect(runs('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    expect(runs('0,20,40 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:00:00.000Z',
    ]);
    expect(runs('0 */2 * * *', '2026-03-28T23:30:00Z', 'Europe/Berlin', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T02:00:00.000Z',
    ]);
  });

  test('a repeated time runs once, the first time', () => {
    expect(runs('30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
    expect(runs('0,30 1-2 * * *', '2026-10-24T23:15:00Z', 'Europe/Berlin', 4)).toEqual([
      '2026-10-24T23:30:00.000Z',
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T00:00:00.000Z',
    ]);
  });

  test('after the first of two equal times, the next run is on the next day', () => {
    expect(iso(parseCron('30 2 * * *').next(at('2026-10-25T01:10:00Z'), 'Europe/Berlin'))).toBe(
      '2026-10-26T01:30:00.000Z',
    );
  });

  test.each(['*', '*/1', '0-23', '?'])('an hourly expression (%s) keeps its interval', (hour) => {
    expect(runs(`0 ${hour} * * *`, '2026-10-24T23:30:00Z', 'Europe/Berlin', 3)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
    expect(runs(`30 ${hour} * * *`, '2026-03-29T00:00:00Z', 'Europe/Berlin', 3)).toEqual([
      '2026-03-29T00:30:00.000Z',
      '2026-03-29T01:30:00.000Z',
      '2026-03-29T02:30:00.000Z',
    ]);
  });

  test('a change of half an hour and a skipped day are handled too', () => {
    // Lord Howe goes from 2:00 to 2:30, and Samoa had no 30 December 2011.
    expect(runs('15 2 * * *', '2026-10-03T00:00:00Z', 'Australia/Lord_Howe', 1)).toEqual(['2026-10-03T15:30:00.000Z']);
    expect(runs('0 12 30 12 *', '2011-12-01T00:00:00Z', 'Pacific/Apia', 1)).toEqual(['2011-12-30T10:00:00.000Z']);
  });
});
