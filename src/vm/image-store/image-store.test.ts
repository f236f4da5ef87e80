import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FileServer, fileServer, serveContainerImage, sha256 } from '#testing/images/image-server';
import { diskContents, newDirectory, qemuImg, readDisk, testStore } from '#testing/images/image-store';
import { hasPrograms } from '#testing/programs';
import { WAIT } from '#testing/wait';
import type { ImageStoreDeps } from './image-store.ts';

const isReady = hasPrograms('images of real VMs', 'qemu-img', 'bwrap', 'prlimit', 'xz');
const noSecrets = { read: async () => undefined };
const quiet = { onProgress: () => undefined, signal: new AbortController().signal };
const disk = diskContents('contents of the disk');

let server: FileServer;
let host: string;
let scratch: string;
let root: string;
/** The same disk in all formats. */
const images: Record<string, Buffer> = {};

beforeAll(async () => {
  if (!isReady) return;
  server = await fileServer();
  ({ host } = new URL(server.url));
  scratch = newDirectory();
  writeFileSync(join(scratch, 'raw'), disk);
  for (const format of ['qcow2', 'vmdk', 'vdi', 'vhdx']) {
    qemuImg('convert', '-f', 'raw', '-O', format, join(scratch, 'raw'), join(scratch, format));
    images[format] = readFileSync(join(scratch, format));
  }
  images['raw'] = disk;
  images['raw.gz'] = gzipSync(disk);
  images['qcow2.xz'] = spawnSync('xz', ['-c'], { input: images['qcow2'], maxBuffer: 2 ** 26 }).stdout;
  images['raw.xz'] = spawnSync('xz', ['-c'], { input: disk, maxBuffer: 2 ** 26 }).stdout;
});
afterAll(async () => {
  if (!isReady) return;
  await server.close();
  rmSync(scratch, { recursive: true });
});
beforeEach(() => {
  root = newDirectory();
  server?.files.clear();
  server?.requests.splice(0);
});
afterEach(() => rmSync(root, { recursive: true }));

const serve = (path: string, content: Buffer, more: object = {}) => {
  server.files.set(path, { content, ...more });
  return `${server.url}${path}`;
};
const open = (changes: Partial<ImageStoreDeps> = {}) => testStore(root, changes).store;
const pull = (image: string, more: object = {}) => open().pull({ image, namespace: 'shop', ...more }, quiet);
const fetched = (path: string) => server.requests.filter((request) => request.path === path).length;

describe.skipIf(!isReady)('an image from a web server', () => {
  it.each(['qcow2', 'raw', 'vmdk', 'vdi', 'vhdx', 'raw.gz', 'qcow2.xz', 'raw.xz'])(
    'is converted from %s',
    async (name) => {
      const content = images[name] ?? Buffer.alloc(0);
      const { path, record } = await pull(serve(`/${name}`, content), { checksum: `sha256:${sha256(content)}` });
      expect(record).toMatchObject({
        digest: sha256(content),
        bytes: content.length,
        sourceFormat: name.split('.')[0],
        virtualBytes: disk.length,
      });
      expect(path).toBe(join(root, 'sha256', sha256(content), 'disk'));
      expect(readDisk(path, record.format, root).equals(disk)).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o444);
      expect(readdirSync(join(root, 'partial'))).toEqual([]);
    },
  );

  it.each(['md5', 'sha256', 'sha512'])('is verified by its %s', async (algorithm) => {
    const url = serve('/image', disk);
    const right = createHash(algorithm).update(disk).digest('hex');
    await pull(url, { checksum: `${algorithm}:${right.toUpperCase()}` });
    const wrong = pull(url, { checksum: `${algorithm}:${right.replaceAll(/./g, 'a')}` });
    await expect(wrong).rejects.toMatchObject({ reason: 'ChecksumMismatch' });
    expect(readdirSync(join(root, 'partial'))).toEqual([]);
  });

  it('continues where the connection broke, and starts again if the file has changed', async () => {
    const url = serve('/image', disk, { etag: '"1"', breakAt: 1_000_000 });
    const { record } = await pull(url);
    expect(record.digest).toBe(sha256(disk));
    const [first, second] = server.requests;
    expect(first?.range).toBeUndefined();
    expect(Number(second?.range?.match(/\d+/)?.[0])).toBeGreaterThan(0);
    expect(second?.headers['if-range']).toBe('"1"');
  });

  it('is not taken from a part of another version', async () => {
    const other = diskContents('another version');
    const url = serve('/image', disk, { etag: '"1"', breakAt: 1_000_000 });
    const { store } = testStore(root);
    const stop = new AbortController();
    const broken = store.pull({ image: url, namespace: 'a' }, { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(broken).rejects.toThrow();
    serve('/image', other, { etag: '"2"' });
    expect((await pull(url)).record.digest).toBe(sha256(other));
    expect(server.requests.at(-1)?.range).toBeDefined();
  });

  it('gets credentials, which no other server does', async () => {
    const other = await fileServer();
    other.files.set('/blob', { content: disk });
    const authorization = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
    const url = serve('/image', disk, { authorization, redirect: `${other.url}/blob` });
    await expect(pull(url)).rejects.toThrow('the server returned 401');
    const basic = { username: 'ann', password: 'secret' };
    const image = await open().pull({ image: url, namespace: 'shop' }, quiet, { basic });
    expect(image.record.digest).toBe(sha256(disk));
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
    await other.close();
  });
});

describe.skipIf(!isReady)('an image that VMs need', () => {
  const need = (store: ReturnType<typeof open>, image: string, more: object = {}) =>
    store.require({ image, namespace: 'shop', ...more }, noSecrets);
  const arrival = (store: ReturnType<typeof open>, image: string, more: object = {}) =>
    vi.waitUntil(
      () => need(store, image, more).catch((error: Error) => (error.message.startsWith('pulling') ? false : error)),
      WAIT,
    );

  it('is fetched once for all of them, and reported meanwhile', async () => {
    const url = serve('/image', disk);
    const store = open();
    const first = await Promise.all(
      ['a', 'b', 'c'].map((namespace) => need(store, url, { namespace }).catch((error: Error) => error)),
    );
    for (const error of first)
      expect(error).toMatchObject({ message: `pulling image ${url}: Waiting`, image: `image ${url}` });
    expect(await arrival(store, url)).toMatchObject({ format: 'raw', id: `sha256-${sha256(disk)}` });
    expect(await need(open(), url)).toMatchObject({ format: 'raw' });
    expect(fetched('/image')).toBe(1);
  });

  it('is looked up again with the policy Always, and fetched again only if it has changed', async () => {
    let now = 0;
    const clock = { ...testClock(), now: () => now };
    const url = serve('/image', disk, { etag: '"1"' });
    const store = open({ clock });
    const always = { pullPolicy: 'Always' };
    await arrival(store, url, always);
    now += 120_000;
    expect(await arrival(store, url, always)).toMatchObject({ id: `sha256-${sha256(disk)}` });
    expect(server.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"']);
    now += 120_000;
    serve('/image', images['qcow2'] ?? disk, { etag: '"2"' });
    expect(await arrival(store, url, always)).toMatchObject({ id: `sha256-${sha256(images['qcow2'] ?? disk)}` });
  });

  it('may have several names that arrive at the same time', async () => {
    const names = ['/a', '/b', '/c'].map((path) => serve(path, images['qcow2'] ?? disk));
    const results = await Promise.all(names.map((name) => open().pull({ image: name, namespace: 'a' }, quiet)));
    expect(new Set(results.map(({ path }) => path)).size).toBe(1);
    expect(readdirSync(join(root, 'sha256'))).toEqual([sha256(images['qcow2'] ?? disk)]);
  });

  it('is not fetched with the policy Never', async () => {
    const store = open();
    const never = need(store, serve('/image', disk), { pullPolicy: 'Never' });
    await expect(never).rejects.toMatchObject({ reason: 'ErrImageNeverPull' });
    expect(server.requests).toEqual([]);
  });

  it('is not tried again at once after a failure', async () => {
    const store = open();
    const url = `${server.url}/missing`;
    const error = await arrival(store, url);
    expect(error).toMatchObject({ reason: 'ErrImagePull', message: `cannot download ${url}: the server returned 404` });
    await expect(need(store, url)).rejects.toBe(error);
    expect(fetched('/missing')).toBe(1);
  });

  it('is rejected before it is fetched if the disk has no room', async () => {
    const store = open({ availableBytes: async () => 2 ** 28 + 1 });
    expect(await arrival(store, serve('/image', disk))).toMatchObject({ reason: 'InsufficientDiskSpace' });
    expect(readdirSync(join(root, 'partial'))).toEqual([]);
  });

  it('comes from the host itself if its name says so', async () => {
    expect(await need(open(), 'vimana.local/demo-guest')).toEqual({
      path: join(root, 'demo-guest.raw'),
      format: 'raw',
      id: 'demo-guest',
    });
  });
});

describe.skipIf(!isReady)('a container image', () => {
  it('is resolved by its index, and has its disk in a layer', async () => {
    const qcow2 = images['qcow2'] ?? disk;
    serveContainerImage(server, 'disks/debian', [
      { 'disk/old.img': Buffer.alloc(9), 'etc/x': Buffer.alloc(3) },
      { 'disk/debian.qcow2': qcow2 },
    ]);
    const { record, path } = await pull(`${host}/disks/debian:v1`);
    expect(record).toMatchObject({ digest: sha256(qcow2), sourceFormat: 'qcow2', format: 'qcow2' });
    expect(readDisk(path, 'qcow2', root).equals(disk)).toBe(true);
    // The layers below are not fetched, and the manifest tells that nothing has changed.
    const requested = server.requests.length;
    expect(requested).toBe(3);
    await pull(`${host}/disks/debian:v1`);
    expect(server.requests.length).toBe(requested + 2);
  });

  it('has its disk at a path', async () => {
    serveContainerImage(server, 'a', [{ 'disk/one.img': disk, 'disk/two.img': diskContents('two') }]);
    await expect(pull(`${host}/a:v1`)).rejects.toThrow('several files in /disk');
    expect((await pull(`${host}/a:v1`, { path: '/disk/one.img' })).record.digest).toBe(sha256(disk));
    await expect(pull(`${host}/a:v1`, { path: '/disk/three' })).rejects.toThrow('has no disk at /disk/three');
  });

  it('is not continued from layers that another image has hidden', async () => {
    serveContainerImage(server, 'a', [{ 'disk/one.img': disk }, { 'disk/.wh..wh..opq': Buffer.alloc(0) }]);
    await expect(pull(`${host}/a:v1`)).rejects.toThrow('has no disk in /disk');
  });

  it('whose layer does not match its digest is rejected', async () => {
    serveContainerImage(server, 'a', [{ 'disk/one.img': disk }]);
    for (const [path, file] of server.files)
      if (path.includes('/blobs/')) serve(path, Buffer.from(file.content.map((byte) => byte ^ 1)));
    await expect(pull(`${host}/a:v1`)).rejects.toMatchObject({ reason: 'ChecksumMismatch' });
    expect(existsSync(join(root, 'sha256', sha256(disk)))).toBe(false);
  });

  it('with credentials is for the namespace that has them', async () => {
    const authorization = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
    serveContainerImage(server, 'private', [{ 'disk/one.img': disk }], { authorization });
    const auth = Buffer.from('ann:secret').toString('base64');
    const config = Buffer.from(JSON.stringify({ auths: { [host]: { auth } } }));
    const read = async (namespace: string) => (namespace === 'shop' ? { '.dockerconfigjson': config } : undefined);
    const store = open();
    const image = `${host}/private:v1`;
    const need = (more: object) => store.require({ image, namespace: 'shop', ...more }, { read });
    const settled = (more: object) =>
      vi.waitUntil(
        () => need(more).catch((error: Error) => (error.message.startsWith('pulling') ? false : error)),
        WAIT,
      );
    expect(await settled({ secret: 'pull' })).toMatchObject({ format: 'raw' });
    // Neither the same namespace without the Secret nor another one gets it from the cache.
    expect(await settled({})).toMatchObject({ reason: 'ErrImagePull' });
    expect(await settled({ namespace: 'other', secret: 'pull' })).toMatchObject({
      message: expect.stringContaining('not found'),
    });
  });
});

describe.skipIf(!isReady)('an image in a bucket', () => {
  it('is fetched with a signature from the endpoint in the Secret', async () => {
    serve('/bucket/dir/disk.img', disk);
    const keys = { accessKeyId: 'AKIA', secretAccessKey: 'hidden' };
    const credentials = { s3: { keys, endpoint: server.url, region: 'eu-west-1' } };
    const { record } = await open().pull({ image: 's3://bucket/dir/disk.img', namespace: 'a' }, quiet, credentials);
    expect(record).toMatchObject({ digest: sha256(disk), source: 's3://bucket/dir/disk.img' });
    const { authorization } = server.requests[0]?.headers ?? {};
    expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIA\/\d{8}\/eu-west-1\/s3\/aws4_request/);
    expect(JSON.stringify(server.requests)).not.toContain('hidden');
  });
});

describe.skipIf(!isReady)('an image of the marketplace', () => {
  const mirrors = () => [{ from: 'https://cloud.debian.org/images/cloud/bookworm/latest/', to: `${server.url}/` }];
  const request = { image: 'marketplace://debian-12', namespace: 'a' };
  const FILE = 'debian-12-generic-amd64.qcow2';
  const sha512 = (content: Buffer) => createHash('sha512').update(content).digest('hex');

  it("is verified by the vendor's checksums, also from a mirror", async () => {
    const qcow2 = images['qcow2'] ?? disk;
    serve(`/${FILE}`, qcow2);
    serve('/SHA512SUMS', Buffer.from(`${sha512(qcow2)}  ${FILE}\n`));
    const { record } = await open({ mirrors: mirrors() }).pull(request, quiet);
    expect(record).toMatchObject({ digest: sha256(qcow2), source: 'marketplace://debian-12' });
  });

  it.each([
    ['does not match', `${'0'.repeat(128)}  ${FILE}`, 'does not match its checksum'],
    ['is not listed', '', 'is not in the vendor'],
  ])('that %s is rejected', async (_what, list, problem) => {
    serve(`/${FILE}`, disk);
    serve('/SHA512SUMS', Buffer.from(list));
    await expect(open({ mirrors: mirrors() }).pull(request, quiet)).rejects.toThrow(problem);
  });

  it('may be replaced by another one as a whole', async () => {
    const to = serve('/demo', disk);
    const store = open({ mirrors: [{ from: 'marketplace://debian-12', to }] });
    expect((await store.pull(request, quiet)).record.digest).toBe(sha256(disk));
  });

  it('must be in the catalog', async () => {
    const unknown = open().pull({ image: 'marketplace://toString', namespace: 'a' }, quiet);
    await expect(unknown).rejects.toThrow('not in the catalog, which has debian-12, ubuntu-22.04-lts');
  });
});

function testClock() {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: async () => undefined,
    timer: () => ({ cancel: () => undefined }),
  } as unknown as ImageStoreDeps['clock'];
}
