import { type ErrorDetails, VimanaError } from '#platform/base/errors';

/** Status reason with which the API server rejects a patch. '' is a Status without a reason. */
export type PatchErrorReason = 'BadRequest' | 'Invalid' | 'RequestEntityTooLarge' | '';

const STATUS: Readonly<Record<PatchErrorReason, 400 | 413 | 422 | 500>> = {
  BadRequest: 400,
  Invalid: 422,
  RequestEntityTooLarge: 413,
  '': 500,
};

/**
 * Reports that a patch cannot be applied. `message`, `reason` and `status` are those of the Status that Kubernetes
 * returns.
 */
export class PatchError extends VimanaError {
  readonly reason: PatchErrorReason;
  readonly status: 400 | 413 | 422 | 500;

  constructor(reason: PatchErrorReason, message: string, details?: ErrorDetails) {
    super('PATCH', message, details);
    this.reason = reason;
    this.status = STATUS[reason];
  }
}

/** Maximum depth of a document. Deeper ones are rejected, so that no input can exhaust the stack. */
export const MAX_DEPTH = 1000;

export function assertDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new PatchError('BadRequest', `exceeded max depth of ${MAX_DEPTH}`);
}
