import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { vi } from 'vitest';
import { tarArchive } from '#vm/guest-image/tar';

/** Starts Debian's docker-registry on the loopback interface. */
export async function startRegistry(directory: string) {
  const host = `127.0.0.1:${await freePort()}`;
  const config = join(directory, 'registry.json');
  const storage = { filesystem: { rootdirectory: join(directory, 'registry') } };
  writeFileSync(config, JSON.stringify({ version: '0.1', storage, http: { addr: host } }));
  const child = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  await vi.waitUntil(
    () =>
      fetch(`http://${host}/v2/`).then(
        ({ ok }) => ok,
        () => false,
      ),
    20_000,
  );
  return {
    host,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Pushes a disk as a container image with skopeo, which is an independent client of the registry. */
export function pushDisk(directory: string, disk: Buffer, reference: string): void {
  const layout = join(directory, 'layout');
  const blobs = join(layout, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const put = (mediaType: string, content: Buffer) => {
    const hex = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(blobs, hex), content);
    return { mediaType, digest: `sha256:${hex}`, size: content.length };
  };
  const oci = (name: string) => `application/vnd.oci.image.${name}`;
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  const archive = tarArchive([{ path: 'disk/guest.img', data: disk }]);
  const layer = put(oci('layer.v1.tar+gzip'), gzipSync(archive));
  const diff = `sha256:${createHash('sha256').update(archive).digest('hex')}`;
  const rootfs = { type: 'layers', diff_ids: [diff] };
  const config = put(oci('config.v1+json'), json({ architecture: 'amd64', os: 'linux', config: {}, rootfs }));
  const mediaType = oci('manifest.v1+json');
  const manifest = put(mediaType, json({ schemaVersion: 2, mediaType, config, layers: [layer] }));
  const annotations = { 'org.opencontainers.image.ref.name': 'v1' };
  writeFileSync(join(layout, 'index.json'), json({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }));
  writeFileSync(join(layout, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  const args = ['copy', '--insecure-policy', '--dest-tls-verify=false', `oci:${layout}:v1`, `docker://${reference}`];
  const { status, stderr } = spawnSync('skopeo', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
