import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { loopbackServer } from '#testing/loopback-server';
import { tarArchive } from '#vm/guest-image/tar';

/** File that the server has. */
export interface ServedFile {
  readonly content: Buffer;
  readonly etag?: string;
  /** Breaks the connection after so many bytes, once. */
  breakAt?: number;
  /** Sends nothing more after so many bytes. */
  readonly stallAt?: number;
  /** Authorization header that it requires. */
  readonly authorization?: string;
  readonly redirect?: string;
}

export const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
const digestOf = (content: Buffer | string) => `sha256:${sha256(content)}`;

/** Starts a local server with files that can be fetched in parts, as registries and web servers provide them. */
export async function fileServer() {
  const files = new Map<string, ServedFile>();
  const requests: {
    readonly path: string;
    readonly range: string | undefined;
    readonly headers: IncomingMessage['headers'];
  }[] = [];
  const server = await loopbackServer(({ url = '', headers }, response) => {
    const [path = ''] = url.split('?');
    requests.push({ path: url, range: headers.range, headers });
    response.setHeader('connection', 'close');
    const file = files.get(path);
    if (file === undefined) response.writeHead(404).end();
    else respond(file, headers, response);
  });
  return { ...server, files, requests };
}

export type FileServer = Awaited<ReturnType<typeof fileServer>>;

function respond(file: ServedFile, headers: IncomingMessage['headers'], response: ServerResponse): void {
  const { content, etag, authorization, redirect } = file;
  if (authorization !== undefined && headers.authorization !== authorization) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end();
    return;
  }
  if (redirect !== undefined) return void response.writeHead(307, { location: redirect }).end();
  if (etag !== undefined) response.setHeader('etag', etag);
  if (etag !== undefined && headers['if-none-match'] === etag) return void response.writeHead(304).end();
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag;
  if (from >= content.length && from > 0) {
    return void response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
  }
  const part = from > 0 && isSame ? content.subarray(from) : content;
  const isPart = part !== content;
  response.writeHead(isPart ? 206 : 200, {
    'content-length': part.length,
    ...(isPart ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {}),
  });
  const { breakAt, stallAt } = file;
  if (stallAt !== undefined) return void response.write(part.subarray(0, stallAt));
  if (breakAt === undefined) return void response.end(part);
  delete file.breakAt;
  response.write(part.subarray(0, breakAt), () => response.destroy());
}

/** Puts a container image with files into a server, and returns the digest of its manifest. */
export function serveContainerImage(
  { files }: FileServer,
  name: string,
  layers: readonly Readonly<Record<string, Buffer>>[],
  options: Pick<ServedFile, 'authorization'> & { readonly breakAt?: number } = {},
): string {
  const { authorization, breakAt } = options;
  const access = authorization === undefined ? {} : { authorization };
  const blobs = layers.map((layer) =>
    gzipSync(tarArchive(Object.entries(layer).map(([path, data]) => ({ path, data })))),
  );
  for (const blob of blobs) {
    const broken = breakAt === undefined ? {} : { breakAt };
    files.set(`/v2/${name}/blobs/${digestOf(blob)}`, { content: blob, ...access, ...broken });
  }
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf('{}'), size: 2 },
      layers: blobs.map((blob) => ({
        mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
        digest: digestOf(blob),
        size: blob.length,
      })),
    }),
  );
  const index = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      manifests: [
        { mediaType: 'x', digest: digestOf('arm'), size: 1, platform: { os: 'linux', architecture: 'arm64' } },
        {
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
          digest: digestOf(manifest),
          size: manifest.length,
          platform: { os: 'linux', architecture: 'amd64' },
        },
      ],
    }),
  );
  files.set(`/v2/${name}/manifests/v1`, { content: index, ...access });
  files.set(`/v2/${name}/manifests/latest`, { content: index, ...access });
  files.set(`/v2/${name}/manifests/${digestOf(manifest)}`, { content: manifest, ...access });
  return digestOf(manifest);
}
