import { shownAddress } from '#platform/base/web-address';
import type { CachedImage } from '../cache/image-record.ts';
import { basicAuthorization } from '../credentials.ts';
import type { Checksum } from '../download/content-hash.ts';
import { downloadFile, type RemoteFile } from '../download/download-file.ts';
import { PartialFile } from '../download/partial-file.ts';
import { ImageError } from '../image-error.ts';
import type { ImageCredentials } from '../image-request.ts';
import { DEFAULT_REGION, objectAddress } from '../s3/object-address.ts';
import { signedHeaders } from '../s3/signature.ts';
import type { ImageSource } from '../source/image-source.ts';
import type { ImageTarget } from './image-target.ts';
import { downloadDeps, type PullContext } from './pull-context.ts';
import { storeImage } from './store-image.ts';

/** Image that was pulled, with what identifies this version at its source. */
export interface PulledImage {
  readonly image: CachedImage;
  readonly tag?: string;
}

/** Pulls an image that is one file on a server. Returns undefined if the known version is still the current one. */
export async function pullFile(
  file: RemoteFile,
  target: Pick<ImageTarget, 'key' | 'shown'>,
  context: PullContext,
): Promise<PulledImage | undefined> {
  const { cache, signal } = context;
  const partial = new PartialFile(cache.partialPath(target.key));
  const received = await downloadFile(file, partial, downloadDeps(context), signal);
  if (received === undefined) return undefined;
  const { sha256, bytes, tag } = received;
  const known = await cache.find(sha256);
  const draft = known === undefined ? await cache.createDraft(target.key) : '';
  const image = known ?? (await storeImage({ path: partial.path, sha256, bytes, shown: target.shown }, draft, context));
  await partial.remove();
  return { image, ...(tag === undefined ? {} : { tag }) };
}

/** Returns the file at a web address. */
export function webFile(url: string, credentials: ImageCredentials, checksum: Checksum | undefined): RemoteFile {
  const { basic, bearer } = credentials;
  const authorization = bearer === undefined ? basic && basicAuthorization(basic) : `Bearer ${bearer}`;
  return {
    url,
    shown: shownAddress(url),
    headers: () => (authorization === undefined ? {} : { authorization }),
    ...(checksum === undefined ? {} : { checksum }),
  };
}

/** Returns the file of an object in a bucket. */
export function s3File(
  { bucket, key }: Extract<ImageSource, { kind: 's3' }>,
  { s3 = {} }: ImageCredentials,
  { checksum, now }: { readonly checksum: Checksum | undefined; readonly now: () => number },
): RemoteFile {
  const url = objectAddress(bucket, key, s3);
  const { keys, region = DEFAULT_REGION } = s3;
  return {
    url: url.href,
    shown: `s3://${bucket}/${key}`,
    headers: () => (keys === undefined ? {} : signedHeaders({ url, region, keys, now: now() })),
    ...(checksum === undefined ? {} : { checksum }),
  };
}

/** Reports a catalog entry that cannot be used. */
export function catalogError(name: string, why: string): ImageError {
  return new ImageError('ErrImagePull', `marketplace://${name}: ${why}`);
}
