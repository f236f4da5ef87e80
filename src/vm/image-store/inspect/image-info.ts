import { formatQuantity, quantityOf } from '#platform/base/quantity';
import { rejectedImage } from '../image-error.ts';
import type { ImageFormat } from './image-format.ts';

/** Limits of what an image may hold. */
export interface ImageLimits {
  /** Maximum size of the disk as the guest sees it. */
  readonly virtualBytes: number;
  /** Maximum size of the file, as it is downloaded, unpacked and converted. */
  readonly fileBytes: number;
}

/** Output of `qemu-img info --output=json` for an image. Nothing in it is trusted. */
interface PrintedInfo {
  readonly format?: unknown;
  readonly 'virtual-size'?: unknown;
  readonly 'backing-filename'?: unknown;
  readonly 'full-backing-filename'?: unknown;
  readonly encrypted?: unknown;
  readonly 'format-specific'?: {
    readonly data?: {
      readonly 'data-file'?: unknown;
      readonly encrypt?: unknown;
      readonly extents?: readonly { readonly filename?: unknown }[];
    };
  };
}

export interface ImageInfo {
  readonly format: ImageFormat;
  readonly virtualBytes: number;
}

/** Checks what qemu-img found in an image at `path`, and throws unless the image stands for itself. */
export function checkedInfo(printed: string, format: ImageFormat, path: string, limits: ImageLimits): ImageInfo {
  const info = parse(printed);
  if (info.format !== format) throw rejectedImage(`it is not in the format ${format}`);
  const specific = info['format-specific']?.data ?? {};
  if (info['backing-filename'] !== undefined || info['full-backing-filename'] !== undefined) {
    throw rejectedImage('it has a backing file');
  }
  if (specific['data-file'] !== undefined) throw rejectedImage('it has an external data file');
  if (info.encrypted === true || specific.encrypt !== undefined) throw rejectedImage('it is encrypted');
  if (specific.extents?.some(({ filename }) => filename !== path)) throw rejectedImage('it refers to other files');
  const virtualBytes = info['virtual-size'];
  if (typeof virtualBytes !== 'number' || virtualBytes <= 0) throw rejectedImage('its size is not known');
  assertVirtualSize(virtualBytes, limits);
  return { format, virtualBytes };
}

/** Rejects a disk that is larger than allowed. */
export function assertVirtualSize(bytes: number | bigint, { virtualBytes: max }: ImageLimits): void {
  if (bytes <= max) return;
  const limit = formatQuantity(quantityOf(max, 'BinarySI'));
  throw rejectedImage(`its virtual size of ${bytes} bytes is more than the limit of ${limit}`);
}

function parse(printed: string): PrintedInfo {
  try {
    const info: unknown = JSON.parse(printed);
    if (typeof info === 'object' && info !== null) return info;
  } catch {
    // What cannot be read is handled like something else than an object.
  }
  throw rejectedImage('its header is broken');
}
