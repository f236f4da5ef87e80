import { InvalidArgumentError, Option } from 'commander';
import { formatDuration, parseDuration } from '#platform/base/duration';

/** Returns a flag that takes a duration, with the default shown as a user would write it. */
export function durationOption(flags: string, description: string, fallback: string): Option {
  return new Option(flags, description).argParser(durationMs).default(parseDuration(fallback), fallback);
}

/** Parses a duration on the command line to milliseconds. */
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

/** Formats a duration as a person writes it: 5m, where Go prints 5m0s. */
export function formatDurationFlag(ms: number): string {
  return formatDuration(ms)
    .replace(/(?<=m)0s$/, '')
    .replace(/(?<=h)0m$/, '');
}
