import { isOnWeb, shownAddress } from '#platform/base/web-address';
import { ImageError } from '../image-error.ts';
import { formatOciReference, type OciReference, parseOciReference } from './oci-reference.ts';

/** Where an image comes from. */
export type ImageSource =
  | { readonly kind: 'local'; readonly name: string }
  | { readonly kind: 'registry'; readonly reference: OciReference; readonly isPlain: boolean }
  | { readonly kind: 'web'; readonly url: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'marketplace'; readonly name: string };

/** Host in image names that stands for images on this host, which are built here and never downloaded. */
const LOCAL = 'vimana.local/';
const LOCAL_NAME = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;
const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([^/\s]\S*)$/;
const MARKETPLACE = /^marketplace:\/\/([A-Za-z0-9][\w.-]*(?:[/:][A-Za-z0-9][\w.-]*)*)$/;

/** Parses the name of an image as VMs give it. Throws if it is malformed. */
export function parseImageSource(text: string): ImageSource {
  const source = text.startsWith(LOCAL) ? localSource(text) : remoteSource(text);
  if (source !== undefined) return source;
  throw new ImageError('InvalidImageName', `"${shownAddress(text)}" is not the name of an image`, {
    hint: 'Use registry/repository:tag, https://, s3://bucket/key, marketplace://name or vimana.local/name',
  });
}

function localSource(text: string): ImageSource | undefined {
  const name = text.slice(LOCAL.length).replace(/:latest$/, '');
  return LOCAL_NAME.test(name) ? { kind: 'local', name } : undefined;
}

function remoteSource(text: string): ImageSource | undefined {
  if (isOnWeb(text)) return URL.canParse(text) ? { kind: 'web', url: text } : undefined;
  const [, bucket, key] = S3.exec(text) ?? [];
  if (bucket !== undefined && key !== undefined) return { kind: 's3', bucket, key };
  const [, name] = MARKETPLACE.exec(text) ?? [];
  if (name !== undefined) return { kind: 'marketplace', name };
  // Mirrors in a trusted network may be without TLS, which only their operator decides.
  const isPlain = text.startsWith('docker+http://');
  const reference = parseOciReference(text.replace(/^(?:docker|docker\+http|oci):\/\//, ''));
  return reference === undefined ? undefined : { kind: 'registry', reference, isPlain };
}

/** Formats a source so that equal images have equal names. */
export function formatImageSource(source: ImageSource): string {
  switch (source.kind) {
    case 'local':
      return `${LOCAL}${source.name}`;
    case 'registry':
      return formatOciReference(source.reference);
    case 'web':
      return source.url;
    case 's3':
      return `s3://${source.bucket}/${source.key}`;
    case 'marketplace':
      return `marketplace://${source.name}`;
  }
}
