import type { Clock } from './clock.ts';
import { redactFields, redactText } from './redact.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Values that say what a line is about. An Error stands for `{ err: error }`. */
export type LogFields = Readonly<Record<string, unknown>> | Error;

/** Writes one entry: a message, fields and a message, or fields alone. */
export interface LogMethod {
  (message: string): void;
  (fields: LogFields, message?: string): void;
}

/**
 * A structured log. Nothing that is logged can make it throw or wait. Secrets do not reach the output: not those under telling
 * keys (token, password, authorization, a Secret's data ...), nor those that can be told by their form.
 */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** A logger whose every entry has these fields too. The entry's own fields win. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Where entries go, and which levels are worth preparing. */
export interface LogSink {
  enabled(level: LogLevel): boolean;
  write(entry: LogEntry): void;
}

/** A logger on a sink; the sink gets entries whose secrets are already gone. */
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

/** A logger that says nothing. */
export const noopLogger: Logger = loggerOn({ enabled: () => false, write: () => {} });

export interface MemoryLogger extends Logger {
  readonly entries: readonly (LogEntry & { readonly time: number })[];
}

/** A logger that keeps its entries, for tests. */
export function createMemoryLogger(clock: Clock): MemoryLogger {
  const entries: (LogEntry & { time: number })[] = [];
  const write = (entry: LogEntry): void => void entries.push({ ...entry, time: clock.now() });
  return { ...loggerOn({ enabled: () => true, write }), entries };
}
