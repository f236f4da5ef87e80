/** Record of an image in the cache. */
export interface ImageRecord {
  /** SHA-256 of the image as it was published, before it was unpacked and converted. */
  readonly digest: string;
  /** Size of the image as it was published. */
  readonly bytes: number;
  readonly sourceFormat: string;
  /** Format of the disk in the cache. */
  readonly format: 'qcow2' | 'raw';
  readonly virtualBytes: number;
  /** Where it was fetched from, without secrets. */
  readonly source: string;
  readonly fetchedAt: number;
}

/** Image in the cache. */
export interface CachedImage {
  readonly record: ImageRecord;
  /** File of the disk, which nobody may write to. */
  readonly path: string;
  readonly storedBytes: number;
  /** Hard links of the disk: that of the cache, and one for each disk that uses it. */
  readonly links: number;
  /** Time of the last use in milliseconds since the Unix epoch. */
  readonly usedAt: number;
}

/** Image that a name meant when it was last resolved. */
export interface ImageReference {
  /** Name without secrets. */
  readonly source: string;
  /** Namespace whose credentials were used, or empty. */
  readonly scope: string;
  /** Digest of the image in the cache. */
  readonly digest: string;
  /** Validator of the version at a web server. */
  readonly tag?: string;
  readonly resolvedAt: number;
}
