import { type Library, method } from '../library.ts';
import { floorDivide, wallClock } from '../time.ts';
import type { Duration, Timestamp } from '../values.ts';

const DAY = 86_400_000;

/** Calendar field of each accessor. Months and days of the month count from zero, except in getDate. */
const FIELDS: readonly (readonly [string, (date: Date) => number])[] = [
  ['getFullYear', (date) => date.getUTCFullYear()],
  ['getMonth', (date) => date.getUTCMonth()],
  ['getDate', (date) => date.getUTCDate()],
  ['getDayOfMonth', (date) => date.getUTCDate() - 1],
  ['getDayOfWeek', (date) => date.getUTCDay()],
  ['getDayOfYear', (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY)],
  ['getHours', (date) => date.getUTCHours()],
  ['getMinutes', (date) => date.getUTCMinutes()],
  ['getSeconds', (date) => date.getUTCSeconds()],
];

const UNITS: readonly (readonly [string, bigint])[] = [
  ['getHours', 3_600_000_000_000n],
  ['getMinutes', 60_000_000_000n],
  ['getSeconds', 1_000_000_000n],
  ['getMilliseconds', 1_000_000n],
];

const milliseconds = ({ ns }: Timestamp): bigint => {
  const ms = floorDivide(ns, 1_000_000n);
  return ((ms % 1000n) + 1000n) % 1000n;
};

export const TIMES: Library = {
  overloads: [
    ...FIELDS.flatMap(([name, read]) => [
      method(name, 'timestamp -> int', ({ ns }: Timestamp) => BigInt(read(wallClock(ns, 'UTC')))),
      method(name, 'timestamp, string -> int', ({ ns }: Timestamp, zone: string) => BigInt(read(wallClock(ns, zone)))),
    ]),
    method('getMilliseconds', 'timestamp -> int', milliseconds),
    method('getMilliseconds', 'timestamp, string -> int', milliseconds),
    ...UNITS.map(([name, unit]) => method(name, 'duration -> int', ({ ns }: Duration) => ns / unit)),
  ],
};
