import { ImageError } from '../image-error.ts';

export const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
] as const;

/** Part of an image: a manifest for one platform, or a layer. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export type Manifest =
  | { readonly kind: 'index'; readonly chosen: Descriptor }
  | { readonly kind: 'image'; readonly layers: readonly Descriptor[] };

interface RawDescriptor {
  readonly mediaType?: unknown;
  readonly digest?: unknown;
  readonly size?: unknown;
  readonly platform?: { readonly os?: unknown; readonly architecture?: unknown; readonly variant?: unknown };
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const MAX_LAYERS = 512;

/** Parses a manifest. Of an index, the manifest for linux/amd64 is chosen. Throws if there is none. */
export function parseManifest(text: string): Manifest {
  const { manifests, layers } = parseObject(text) as { readonly manifests?: unknown; readonly layers?: unknown };
  if (Array.isArray(manifests)) return { kind: 'index', chosen: choosePlatform(manifests as RawDescriptor[]) };
  if (!Array.isArray(layers) || layers.length > MAX_LAYERS) throw broken('it has no layers');
  return { kind: 'image', layers: (layers as RawDescriptor[]).map(checkedDescriptor) };
}

/** An index of a disk that names no platform at all is for every one. */
function choosePlatform(manifests: readonly RawDescriptor[]): Descriptor {
  const isFor = ({ platform }: RawDescriptor) => platform?.os === 'linux' && platform.architecture === 'amd64';
  const found = manifests.find(isFor) ?? (manifests.length === 1 && !manifests[0]?.platform ? manifests[0] : undefined);
  if (found === undefined) throw new ImageError('ErrImagePull', 'the image has no manifest for linux/amd64');
  return checkedDescriptor(found);
}

function checkedDescriptor({ mediaType, digest, size }: RawDescriptor): Descriptor {
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || !DIGEST.test(digest)) {
    throw broken('a descriptor is malformed, or its digest is not sha256');
  }
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw broken('a size is malformed');
  return { mediaType, digest, size };
}

function parseObject(text: string): object {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null) return read;
  } catch {
    // What cannot be read is handled like something else than an object.
  }
  throw broken('it is not JSON');
}

function broken(why: string): ImageError {
  return new ImageError('ErrImagePull', `the manifest of the image is broken: ${why}`);
}
