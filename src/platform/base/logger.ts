import type { Clock } from './clock.ts';
import { redactFields, redactText } from './redact.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Values that describe the subject of a line. An Error is short for `{ err: error }`. */
export type LogFields = Readonly<Record<string, unknown>> | Error;

/** Writes one entry: a message, fields and a message, or fields alone. */
export interface LogMethod {
  (message: string): void;
  (fields: LogFields, message?: string): void;
}

/**
 * Structured log that never throws or waits because of a logged value. It redacts secrets, both under revealing keys
 * (token, password, authorization, a Secret's data ...) and those recognized by their form.
 */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** Returns a logger that adds these fields to every entry. The entry's own fields take precedence. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Destination of entries, which also decides which levels are worth preparing. */
export interface LogSink {
  enabled(level: LogLevel): boolean;
  write(entry: LogEntry): void;
}

/** Creates a logger on a sink. The sink gets entries whose secrets are already redacted. */
export function loggerOn(sink: LogSink, bound: Readonly<Record<string, unknown>> = {}): Logger {
  const method =
    (level: LogLevel): LogMethod =>
    (first: LogFields | string, second?: string) => {
      if (!sink.enabled(level)) return;
      const given = typeof first === 'string' ? {} : first instanceof Error ? { err: first } : first;
      const fallback = first instanceof Error ? first.message : '';
      const message = redactText(typeof first === 'string' ? first : (second ?? fallback));
      sink.write({ level, message, fields: { ...bound, ...redactFields(given) } });
    };
  return {
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    child: (fields) => loggerOn(sink, { ...bound, ...redactFields(fields) }),
  };
}

/** Logger that drops all entries. */
export const noopLogger: Logger = loggerOn({ enabled: () => false, write: () => {} });

export interface MemoryLogger extends Logger {
  readonly entries: readonly (LogEntry & { readonly time: number })[];
}

/** Creates a logger that stores its entries, for tests. */
export function createMemoryLogger(clock: Clock): MemoryLogger {
  const entries: (LogEntry & { time: number })[] = [];
  const write = (entry: LogEntry): void => void entries.push({ ...entry, time: clock.now() });
  return { ...loggerOn({ enabled: () => true, write }), entries };
}
