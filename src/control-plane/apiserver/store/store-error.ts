/** Lists all reasons for which a store fails a request. */
export type StoreErrorCode =
  | 'Compacted'
  | 'FutureRevision'
  | 'Closed'
  | 'Unavailable'
  | 'InvalidKey'
  | 'InvalidValue'
  | 'FolderInUse'
  | 'UnknownFormat'
  | 'Corrupt';

export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}
