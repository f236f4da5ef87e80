import { join } from 'node:path';
import type { CachedImage } from '../cache/image-record.ts';
import { lockPull } from '../cache/pull-lock.ts';
import { parseChecksum } from '../download/content-hash.ts';
import { downloadFile } from '../download/download-file.ts';
import { PartialFile } from '../download/partial-file.ts';
import { ImageError } from '../image-error.ts';
import { dockerCredentials } from '../registry/docker-config.ts';
import { findDisk, type LayerResult } from '../registry/layer-disk.ts';
import type { Descriptor } from '../registry/manifest.ts';
import { RegistryClient } from '../registry/registry-client.ts';
import type { ImageSource } from '../source/image-source.ts';
import { readDecompressed } from '../unpack/decompress.ts';
import { type WrittenFile, writeSparse } from '../unpack/sparse-file.ts';
import type { ImageTarget } from './image-target.ts';
import { downloadDeps, type PullContext } from './pull-context.ts';
import { type PublishedFile, storeImage } from './store-image.ts';

type RegistrySource = Extract<ImageSource, { kind: 'registry' }>;

/** Pulls the disk in a container image. */
export async function pullRegistryImage(
  source: RegistrySource,
  target: ImageTarget,
  context: PullContext,
): Promise<CachedImage> {
  const { cache, signal, onProgress, web, clock } = context;
  const { reference, isPlain } = source;
  onProgress({ phase: 'Resolving' });
  const client = new RegistryClient({ web, reference, isPlain, credentials: credentialsOf(source, target) });
  const { digest, layers } = await client.resolve(signal);
  // What is in a manifest never changes, but a namespace must have been able to read it before.
  const key = [target.scope, reference.registry, reference.repository, digest, target.path ?? ''].join('\n');
  const known = await cache.reference(key);
  const present = known === undefined ? undefined : await cache.find(known.digest);
  if (present !== undefined) return present;
  const draft = await cache.createDraft(target.key);
  const file = await extractDisk(client, layers, draft, target, context);
  const image = (await cache.find(file.sha256)) ?? (await storeImage(file, draft, context));
  const { shown, scope } = target;
  await cache.putReference(key, {
    source: `${shown} ${digest}`,
    scope,
    digest: image.record.digest,
    resolvedAt: clock.now(),
  });
  for (const layer of layers) await partialOf(layer, target, context).remove();
  return image;
}

function credentialsOf({ reference }: RegistrySource, { credentials: { dockerConfig } }: ImageTarget) {
  if (dockerConfig === undefined) return undefined;
  try {
    return dockerCredentials(dockerConfig, reference.registry, reference.repository);
  } catch {
    throw new ImageError('ErrImagePull', 'the Secret of the image has a malformed .dockerconfigjson');
  }
}

/** Downloads layers from the topmost down, until one has the disk. */
async function extractDisk(
  client: RegistryClient,
  layers: readonly Descriptor[],
  draft: string,
  target: ImageTarget,
  context: PullContext,
): Promise<PublishedFile> {
  const path = join(draft, 'image');
  for (const layer of layers.toReversed()) {
    const result = await extractLayer(client, layer, path, target, context);
    if (typeof result === 'object') return { path, ...result, shown: target.shown };
    if (result === 'hidden') break;
  }
  const where = target.path === undefined ? 'in /disk' : `at ${target.path}`;
  throw new ImageError('ErrImagePull', `container image ${target.shown} has no disk ${where}`);
}

/** Downloads a layer, and writes the disk if it contains one. Other images may have the same layer. */
async function extractLayer(
  client: RegistryClient,
  layer: Descriptor,
  path: string,
  target: ImageTarget,
  context: PullContext,
): Promise<WrittenFile | LayerResult> {
  const { signal, limits, onProgress, clock } = context;
  const partial = partialOf(layer, target, context);
  const unlock = await lockPull(`${partial.path}.lock`, clock, signal);
  try {
    await downloadLayer(client, layer, partial, context);
    onProgress({ phase: 'Unpacking' });
    let written: WrittenFile | undefined;
    const choice = target.path === undefined ? {} : { path: target.path };
    const contents = readDecompressed(partial.path, limits.fileBytes, signal);
    const result = await findDisk(contents, choice, async (disk) => {
      written = await writeSparse(path, disk, signal);
    });
    if (written === undefined) await partial.remove();
    return written ?? result;
  } finally {
    await unlock();
  }
}

function partialOf({ digest }: Descriptor, { scope }: ImageTarget, { cache }: PullContext): PartialFile {
  return new PartialFile(cache.partialPath(`${scope}\n${digest}`));
}

async function downloadLayer(
  client: RegistryClient,
  layer: Descriptor,
  partial: PartialFile,
  context: PullContext,
): Promise<void> {
  const { digest, size } = layer;
  const checksum = parseChecksum(digest);
  const file = {
    ...client.layer(layer),
    shown: `layer ${digest}`,
    isKnownByDigest: true,
    bytes: size,
    ...(checksum === undefined ? {} : { checksum }),
  };
  await downloadFile(file, partial, downloadDeps(context), context.signal);
}
