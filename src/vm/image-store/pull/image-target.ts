import { shownAddress } from '#platform/base/web-address';
import type { Checksum } from '../download/content-hash.ts';
import type { ImageCredentials, ImageRequest, PullPolicy } from '../image-request.ts';
import { type ImageMirror, mirroredName } from '../source/image-mirrors.ts';
import { formatImageSource, type ImageSource, parseImageSource } from '../source/image-source.ts';

/** Image that is to be fetched: what was requested, and where it is found after all mirrors. */
export interface ImageTarget {
  readonly source: ImageSource;
  /** Name without secrets. */
  readonly shown: string;
  /** Identifies everything that determines the result, so that equal requests are one fetch. */
  readonly key: string;
  /** Namespace whose credentials are used, or empty for what everybody may fetch. */
  readonly scope: string;
  readonly checksum?: Checksum;
  readonly path?: string;
  readonly policy: PullPolicy;
  readonly credentials: ImageCredentials;
}

/** Decides what a request means. */
export function imageTarget(
  request: ImageRequest,
  mirrors: readonly ImageMirror[],
  given: { readonly checksum?: Checksum | undefined; readonly credentials?: ImageCredentials | undefined },
): ImageTarget {
  const named = parseImageSource(request.image);
  const name = formatImageSource(named);
  const mirrored = mirroredName(name, mirrors);
  const source = mirrored === name ? named : parseImageSource(mirrored);
  const { checksum } = given;
  const credentials = credentialsFor(source, mirrored !== name, given.credentials ?? {});
  const scope = Object.keys(credentials).length === 0 ? '' : request.namespace;
  const { path } = request;
  return {
    source,
    shown: shownAddress(request.image),
    key: [scope, formatImageSource(source), path ?? '', checksum?.hex ?? ''].join('\n'),
    scope,
    ...(checksum === undefined ? {} : { checksum }),
    ...(path === undefined ? {} : { path }),
    policy: request.pullPolicy ?? defaultPolicy(source),
    credentials,
  };
}

/** As in a kubelet, only a tag that is expected to change is looked up at every start. */
function defaultPolicy(source: ImageSource): PullPolicy {
  if (source.kind !== 'registry') return 'IfNotPresent';
  const { tag, digest } = source.reference;
  return tag === 'latest' && digest === undefined ? 'Always' : 'IfNotPresent';
}

/** Returns the credentials that the source needs. A mirror does not get what is meant for another web server. */
function credentialsFor(
  source: ImageSource,
  isMirrored: boolean,
  { dockerConfig, basic, bearer, s3 }: ImageCredentials,
): ImageCredentials {
  switch (source.kind) {
    case 'registry':
      return dockerConfig === undefined ? {} : { dockerConfig };
    case 's3':
      return s3 === undefined ? {} : { s3 };
    case 'web':
      if (isMirrored) return {};
      return { ...(basic === undefined ? {} : { basic }), ...(bearer === undefined ? {} : { bearer }) };
    default:
      return {};
  }
}
