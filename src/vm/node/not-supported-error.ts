import { VimanaError } from '#platform/base/errors';

/** A machine driver was asked for something that it cannot do; its capabilities say so beforehand. */
export class NotSupportedError extends VimanaError {
  readonly operation: string;

  constructor(driver: string, operation: string, why = '') {
    super('NOT_SUPPORTED', `${operation} is not supported by the ${driver} driver${why === '' ? '' : `: ${why}`}`);
    this.operation = operation;
  }
}
