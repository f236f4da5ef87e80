/** Optional details of every VimanaError. */
export interface ErrorDetails {
  /** Error that led to this one. */
  readonly cause?: unknown;
  /** Remedy for the user, as one sentence. */
  readonly hint?: string;
}

/**
 * Base class of all errors of this project. `code` is stable: scripts and documentation may rely on it, while messages
 * may be reworded at any time.
 */
export class VimanaError extends Error {
  readonly code: string;
  declare readonly hint?: string;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    if (details.hint !== undefined) this.hint = details.hint;
  }

  /** A getter on the class already has the name when the stack is captured, so that the stack begins with it. */
  override get name(): string {
    return this.constructor.name;
  }
}

/** Reports an invalid command line, such as an unknown flag or a missing argument. */
export class UsageError extends VimanaError {
  constructor(message: string, details?: ErrorDetails) {
    super('USAGE', message, details);
  }
}

/** Reports a missing or invalid setting from any source: a file, a flag, the environment. */
export class ConfigError extends VimanaError {
  constructor(message: string, details?: ErrorDetails) {
    super('CONFIG', message, details);
  }
}

/** Reports a failure that a retry can fix, not before `retryAfterMs` if known, else after the caller's own back-off. */
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

/** Reports a failure that no retry can fix until the input changes. Report it and do not retry. */
export class TerminalError extends VimanaError {
  constructor(message: string, details: ErrorDetails & { readonly code?: string } = {}) {
    super(details.code ?? 'TERMINAL', message, details);
  }
}

/** Reports text that is not a valid value of its expected format. */
export class ParseError extends VimanaError {
  constructor(message: string, details?: ErrorDetails) {
    super('PARSE', message, details);
  }
}
