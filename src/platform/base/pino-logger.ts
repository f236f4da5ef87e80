import { pino } from 'pino';
import type { Clock } from './clock.ts';
import { formatLogLine } from './log-line.ts';
import { type LogEntry, type Logger, type LogLevel, loggerOn } from './logger.ts';

export interface LoggerOptions {
  readonly level: LogLevel | 'silent';
  readonly format: 'json' | 'text';
  readonly clock: Clock;
  /** Receives whole lines, as process.stderr does. */
  readonly destination: { write(line: string): unknown };
}

/** Field names that would appear twice in the line. */
const RESERVED = new Set(['level', 'time', 'msg']);

/** Creates the logger of the program. It writes one line per entry, as JSON for machines or as text for people. */
export function createLogger({ level, format, clock, destination }: LoggerOptions): Logger {
  const write = (line: string): void => {
    destination.write(format === 'json' ? line : formatLogLine(JSON.parse(line)));
  };
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Errors are already plain data.
      serializers: { err: (value: unknown) => value },
    },
    { write },
  );
  return loggerOn({
    enabled: (entryLevel) => log.isLevelEnabled(entryLevel),
    write: ({ level: entryLevel, fields, message }: LogEntry) => log[entryLevel](renameReserved(fields), message),
  });
}

function renameReserved(fields: LogEntry['fields']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [RESERVED.has(key) ? `${key}_` : key, value]));
}
