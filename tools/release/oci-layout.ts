import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Start configuration of a container of the image, as in the OCI image specification. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
}

export interface ImageParts {
  /** Uncompressed tar archives, from the bottom to the top. */
  readonly layers: readonly Buffer[];
  readonly architecture: string;
  readonly config: ImageConfig;
  /** Name of the image for programs that copy it. */
  readonly reference: string;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** All files have this time, so that the same content gives the same image. */
const CREATED = '1970-01-01T00:00:00Z';

const digestOf = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** Writes an OCI image layout, which skopeo, podman, buildah and containerd read. Returns the digest of the image. */
export function writeLayout(folder: string, { layers, architecture, config, reference }: ImageParts): string {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
  const blob = (mediaType: string, content: Buffer): Descriptor => {
    const digest = digestOf(content);
    writeFileSync(join(folder, 'blobs', digest.replace(':', '/')), content);
    return { mediaType, digest, size: content.length };
  };
  const json = (mediaType: string, value: object) => blob(mediaType, Buffer.from(JSON.stringify(value)));
  const image = json('application/vnd.oci.image.config.v1+json', {
    created: CREATED,
    architecture,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(digestOf) },
  });
  const packed = layers.map((layer) => blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(layer)));
  const manifest = json('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: image,
    layers: packed,
  });
  const annotations = { 'org.opencontainers.image.ref.name': reference };
  const manifests = [{ ...manifest, annotations, platform: { architecture, os: 'linux' } }];
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  return manifest.digest;
}
