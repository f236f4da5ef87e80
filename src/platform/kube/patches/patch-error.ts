import { type ErrorDetails, VimanaError } from '#platform/base/errors';

/** How the API server reports a patch that it cannot apply; '' is a Status without a reason. */
export type PatchErrorReason = 'BadRequest' | 'Invalid' | 'RequestEntityTooLarge' | '';

const STATUS: Readonly<Record<PatchErrorReason, 400 | 413 | 422 | 500>> = {
  BadRequest: 400,
  Invalid: 422,
  RequestEntityTooLarge: 413,
  '': 500,
};

/** A patch cannot be applied. `message`, `reason` and `status` are those of the Status that Kubernetes answers. */
export class PatchError extends VimanaError {
  readonly reason: PatchErrorReason;
  readonly status: 400 | 413 | 422 | 500;

  constructor(reason: PatchErrorReason, message: string, details?: ErrorDetails) {
    super('PATCH', message, details);
    this.reason = reason;
    this.status = STATUS[reason];
  }
}

/** Documents nested deeper than this are refused, so that no input can exhaust the stack. */
export const MAX_DEPTH = 1000;

export function assertDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new PatchError('BadRequest', `exceeded max depth of ${MAX_DEPTH}`);
}
