import { type ErrorDetails, VimanaError } from '#platform/base/errors';

/** Reasons why an image cannot be used, as they appear in events and conditions. */
export type ImageReason =
  | 'ErrImagePull'
  | 'ErrImageNeverPull'
  | 'InvalidImageName'
  | 'ImageRejected'
  | 'ChecksumMismatch'
  | 'InsufficientDiskSpace';

/** Reports that an image cannot be used. The message contains no secret and no contents of the image. */
export class ImageError extends VimanaError {
  readonly reason: ImageReason;

  constructor(reason: ImageReason, message: string, details: ErrorDetails = {}) {
    super('IMAGE', message, details);
    this.reason = reason;
  }
}

/** Rejects an image for what it contains. */
export function rejectedImage(why: string): ImageError {
  return new ImageError('ImageRejected', `the image is rejected: ${why}`);
}
