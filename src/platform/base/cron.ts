import { Cron } from 'croner';
import { ParseError } from './errors.ts';
import { instantOf, wallTime } from './time-zone.ts';

/**
 * Recurring schedule with a resolution of a minute. Where clocks change, an expression with chosen hours follows the
 * wall clock: a time that the clocks skip runs as soon as they have jumped, and a time that they show twice runs only
 * the first time. An expression for every hour of the day keeps its rhythm through the change.
 */
export interface CronSchedule {
  readonly expression: string;
  /**
   * Returns the first run after an instant (never at it), in milliseconds since 1970, or undefined if there is none.
   */
  next(after: number, timeZone?: string): number | undefined;
}

const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const FIELDS = ['minute', 'hour', 'day of month', 'month', 'day of week'];
const BOUNDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const ITEM = /^(?:[*?]|(?:\d{1,2}|[a-z]{3})(?:-(?:\d{1,2}|[a-z]{3}))?)(?:\/\d{1,2})?$/i;
const EVERY_HOUR = /^(?:[*?]|0?0-23)(?:\/0?1)?$/;

/** Parses a cron expression of five fields, or a nickname such as @hourly. Throws a ParseError that names the field. */
export function parseCron(expression: string): CronSchedule {
  const pattern = NICKNAMES.get(expression.trim().toLowerCase()) ?? expression.trim();
  const fields = pattern.split(/\s+/);
  // Opening takes longer than all other parsing of an object, and a plain expression never fails to open.
  let onWall: Cron | undefined;
  if (!isPlain(fields)) {
    assertKnownSyntax(expression, fields);
    onWall = open(expression, pattern, 'UTC');
  }
  const everyHour = EVERY_HOUR.test(fields[1] ?? '');
  return {
    expression,
    next(after, timeZone = 'UTC') {
      if (everyHour) {
        // The call throws its own error for an unknown zone.
        wallTime(after, timeZone);
        return open(expression, pattern, timeZone).nextRun(new Date(after))?.getTime();
      }
      onWall ??= open(expression, pattern, 'UTC');
      return nextOnWall(onWall, after, timeZone);
    },
  };
}

const PLAIN_ITEM = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

/** Reports whether every field consists of stars and numbers within its bounds, so that it cannot be invalid. */
function isPlain(fields: readonly string[]): boolean {
  if (fields.length !== BOUNDS.length) return false;
  return BOUNDS.every(([min, max], i) => {
    const field = fields[i] ?? '';
    return field === '*' || field.split(',').every((item) => isPlainItem(item, min, max));
  });
}

function isPlainItem(item: string, min: number, max: number): boolean {
  const match = PLAIN_ITEM.exec(item);
  if (match === null) return false;
  const [, from = min, to = from, step = 1] = match;
  const [first, last, width] = [Number(from), Number(to), Number(step)];
  // The parser does not support steps that begin at the second name of Sunday.
  if (first === max && match[3] !== undefined) return false;
  return min <= first && first <= last && last <= max && width >= 1 && width <= max - min;
}

/** Returns the first matching wall time that lies ahead. Instants follow wall times in the same order. */
function nextOnWall(onWall: Cron, after: number, timeZone: string): number | undefined {
  let wall: Date | null = new Date(wallTime(after, timeZone));
  for (;;) {
    wall = onWall.nextRun(wall);
    if (wall === null) return undefined;
    const instant = instantOf(wall.getTime(), timeZone);
    if (instant > after) return instant;
  }
}

/** Opens a pattern without a function to call, so that nothing is scheduled. */
function open(expression: string, pattern: string, timezone: string): Cron {
  try {
    return new Cron(pattern, { timezone, mode: '5-part', sloppyRanges: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^CronPattern: /, '') : String(cause);
    throw new ParseError(`invalid schedule "${expression}": ${reason}`, { cause });
  }
}

/**
 * Rejects extensions of the parser (seconds, L, W, #) that Kubernetes does not support, so that schedules stay
 * portable.
 */
function assertKnownSyntax(expression: string, fields: readonly string[]): void {
  const refuse = (reason: string): never => {
    throw new ParseError(`invalid schedule "${expression}": ${reason}`, {
      hint: 'write minute, hour, day of month, month and day of week, for example "30 2 * * 1-5"',
    });
  };
  if (/^(CRON_)?TZ=/.test(fields[0] ?? '')) refuse('a time zone cannot be part of it');
  if (fields[0]?.startsWith('@')) refuse(`unknown nickname; supported are ${[...NICKNAMES.keys()].join(', ')}`);
  if (fields[4]?.split(',').some((item) => /^0?7\//.test(item)))
    refuse('day of week 7 does not allow a step; write 0 for Sunday');
  if (fields.length === 6) refuse('expected 5 fields, found 6; seconds are not supported');
  if (fields.length !== FIELDS.length) refuse(`expected 5 fields, found ${fields[0] === '' ? 0 : fields.length}`);
  for (const [i, field] of fields.entries()) {
    const wrong = field.split(',').find((item) => !ITEM.test(item));
    if (wrong !== undefined) refuse(`cannot parse ${FIELDS[i]} "${field}" at "${wrong}"`);
    // The parser accepts any start of a step and then never finds a time to run. Its messages count months and days
    // from zero.
    const [min, max] = BOUNDS[i] ?? [0, 0];
    const named = [...field.matchAll(/(?:^|[,-])(\d+)/g)].map(([, number]) => Number(number));
    const outside = named.find((number) => number < min || number > max);
    if (outside !== undefined) refuse(`${FIELDS[i]} ${outside} is not within ${min}-${max}`);
  }
}
