import { VimanaError } from '#platform/base/errors';

/** Thrown when a machine driver lacks a requested feature, which its capabilities show beforehand. */
export class NotSupportedError extends VimanaError {
  readonly operation: string;

  constructor(driver: string, operation: string, why = '') {
    super('NOT_SUPPORTED', `${operation} is not supported by the ${driver} driver${why === '' ? '' : `: ${why}`}`);
    this.operation = operation;
  }
}
