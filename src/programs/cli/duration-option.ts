import { InvalidArgumentError, Option } from 'commander';
import { formatDuration, parseDuration } from '#platform/base/duration';

/** A flag that takes a duration, whose default is shown as it would be written. */
export function durationOption(flags: string, description: string, usual: string): Option {
  return new Option(flags, description).argParser(durationMs).default(parseDuration(usual), usual);
}

/** Milliseconds of a duration on the command line. */
export function durationMs(text: string): number {
  let ms: number;
  try {
    ms = parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}; write it as 90s, 10m or 1h30m.`);
  }
  if (ms < 0) throw new InvalidArgumentError('It must not be negative.');
  return ms;
}

/** As a person writes it: 5m, where Go prints 5m0s. */
export function formatDurationFlag(ms: number): string {
  return formatDuration(ms)
    .replace(/(?<=m)0s$/, '')
    .replace(/(?<=h)0m$/, '');
}
