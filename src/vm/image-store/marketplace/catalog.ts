import { isOnWeb } from '#platform/base/web-address';

/** Image that a vendor publishes. */
export interface CatalogEntry {
  readonly url: string;
  /** Fixed digest as algorithm:hex. */
  readonly checksum?: string;
  /** Address of the vendor's list of digests, in which the image is found by its file name. */
  readonly checksums?: { readonly url: string; readonly algorithm: 'sha256' | 'sha512' };
}

/** Images by the name that follows marketplace://. */
export type Catalog = Readonly<Record<string, CatalogEntry>>;

/** Images that are known without a catalog file. */
export const DEFAULT_CATALOG: Catalog = {
  'debian-12': {
    url: 'https://cloud.debian.org/images/cloud/bookworm/latest/debian-12-generic-amd64.qcow2',
    checksums: { url: 'https://cloud.debian.org/images/cloud/bookworm/latest/SHA512SUMS', algorithm: 'sha512' },
  },
  'ubuntu-22.04-lts': {
    url: 'https://cloud-images.ubuntu.com/releases/jammy/release/ubuntu-22.04-server-cloudimg-amd64.img',
    checksums: { url: 'https://cloud-images.ubuntu.com/releases/jammy/release/SHA256SUMS', algorithm: 'sha256' },
  },
};

const ALGORITHMS: ReadonlySet<unknown> = new Set(['sha256', 'sha512']);
const CHECKSUM = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/** Entry of a file, in which anything may be missing. */
type ReadEntry = Partial<Omit<CatalogEntry, 'checksums'>> & { readonly checksums?: CatalogEntry['checksums'] | null };

/** Checks a catalog that was read from a file. Returns what is wrong with it, by field. */
export function catalogProblems(read: unknown): string[] {
  const images = (read as { readonly images?: unknown } | null)?.images;
  if (typeof images !== 'object' || images === null) return ['images: must be an object with an entry per image'];
  return Object.entries(images as Record<string, ReadEntry | null>).flatMap(([name, entry]) => {
    const { url, checksum, checksums } = entry ?? {};
    const at = `images.${name}`;
    return [
      ...(typeof url === 'string' && isOnWeb(url) ? [] : [`${at}.url: must be an http:// or https:// URL`]),
      ...(checksum === undefined || (typeof checksum === 'string' && CHECKSUM.test(checksum))
        ? []
        : [`${at}.checksum: must be sha256: or sha512: and hexadecimal digits`]),
      ...(checksums === undefined || (isOnWeb(checksums?.url ?? '') && ALGORITHMS.has(checksums?.algorithm))
        ? []
        : [`${at}.checksums: must have a url and the algorithm sha256 or sha512`]),
      ...(checksum === undefined && checksums === undefined ? [`${at}: must have a checksum or checksums`] : []),
    ];
  });
}
