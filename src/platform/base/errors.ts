/** What every error of ours may carry besides its message. */
export interface ErrorDetails {
  /** The error that led to this one. */
  readonly cause?: unknown;
  /** What the user can do about it, as one sentence. */
  readonly hint?: string;
}

/**
 * The root of our errors. `code` is stable: scripts and documentation may rely on it, while messages may be
 * reworded at any time.
 */
export class VimanaError extends Error {
  readonly code: string;
  declare readonly hint?: string;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    if (details.hint !== undefined) this.hint = details.hint;
  }

  /** Read from the class already when the stack is taken, so that the stack begins with the right name. */
  override get name(): string {
    return this.constructor.name;
  }
}

/** The command line was not understood: an unknown flag, a missing argument. */
export class UsageError extends VimanaError {
  constructor(message: string, details?: ErrorDetails) {
    super('USAGE', message, details);
  }
}

/** A setting is missing or wrong, wherever it came from: a file, a flag, the environment. */
export class ConfigError extends VimanaError {
  constructor(message: string, details?: ErrorDetails) {
    super('CONFIG', message, details);
  }
}

/** Trying again can succeed; not before `retryAfterMs` where it is known, else after the caller's own back-off. */
export class TemporaryError extends VimanaError {
  declare readonly retryAfterMs?: number;

  constructor(
    message: string,
    details: ErrorDetails & { readonly code?: string; readonly retryAfterMs?: number } = {},
  ) {
    super(details.code ?? 'TEMPORARY', message, details);
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
  }
}

/** Trying again cannot succeed until somebody changes the input: report it and do not retry. */
export class TerminalError extends VimanaError {
  constructor(message: string, details: ErrorDetails & { readonly code?: string } = {}) {
    super(details.code ?? 'TERMINAL', message, details);
  }
}

/** Text that could not be read as a value of the format it should have. */
export class ParseError extends VimanaError {
  constructor(message: string, details?: ErrorDetails) {
    super('PARSE', message, details);
  }
}
