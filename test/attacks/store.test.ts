import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPrograms } from '#testing/programs';
import { runVimana, StoredServer } from './support/stored-server.ts';

const root = mkdtempSync(join(tmpdir(), 'store-attacks-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const dataDir = join(root, 'data');
const data = join(dataDir, 'objects', 'data.mdb');
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, size = 0) => ({ metadata: { name }, data: { content: 'x'.repeat(size) } });

/** Returns everything below a directory that is accessible to others than its owner. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => (lstatSync(join(folder, path)).mode & 0o077) !== 0)
    .toSorted();
}

describe('the data of a running server', () => {
  let server: StoredServer;
  beforeAll(async () => {
    // The directory may have been created by a user, or by an earlier version.
    mkdirSync(join(dataDir, 'events'), { recursive: true });
    mkdirSync(join(dataDir, 'pki'));
    writeFileSync(join(dataDir, 'introduced'), '');
    writeFileSync(join(root, 'audit.log'), '');
    writeFileSync(join(root, 'foreign'), '');
    for (const path of ['', 'data', 'data/events', 'data/pki', 'data/introduced', 'audit.log', 'foreign']) {
      chmodSync(join(root, path), 0o777);
    }
    server = await StoredServer.start(
      dataDir,
      '--audit-log',
      join(root, 'audit.log'),
      '--kubeconfig-out',
      join(root, 'kubeconfig'),
    );
    expect((await server.send('POST', CONFIG_MAPS, configMap('precious', 500))).status).toBe(201);
  });
  afterAll(() => server.stop('SIGKILL'));

  it('cannot be read by other users of the host, whatever modes it had before', () => {
    expect(openToOthers(root)).toEqual(['foreign']);
  });

  it.skipIf(!hasPrograms('a full disk', 'prlimit'))(
    'is complete after a full disk, and the cause is reported',
    async () => {
      const limit = (size: string) =>
        expect(spawnSync('prlimit', ['--pid', String(server.pid), `--fsize=${size}:`]).status).toBe(0);
      limit(String(lstatSync(data).size));
      let last = await server.send('POST', CONFIG_MAPS, configMap('filling-0', 50_000));
      for (let i = 1; last.status === 201; i++)
        last = await server.send('POST', CONFIG_MAPS, configMap(`filling-${i}`, 50_000));
      expect(last.status).toBe(503);
      expect(JSON.parse(last.text)).toMatchObject({
        reason: 'ServiceUnavailable',
        message: expect.stringContaining(
          `could not be stored in "${join(dataDir, 'objects')}": the maximum file size is reached. Increase the file size limit`,
        ),
      });
      expect(await server.send('GET', '/readyz')).toEqual({
        status: 500,
        text: expect.stringContaining('[-]etcd failed: the maximum file size is reached.'),
      });
      expect((await server.send('GET', `${CONFIG_MAPS}/precious`)).status).toBe(200);
      expect((await server.send('GET', '/livez')).status).toBe(200);

      limit('unlimited');
      await expect.poll(async () => (await server.send('GET', '/readyz')).status, { timeout: 20_000 }).toBe(200);
      expect((await server.send('POST', CONFIG_MAPS, configMap('after', 50_000))).status).toBe(201);
    },
  );

  it('is reported as soon as it is deleted, without a write', async () => {
    renameSync(data, `${data}.gone`);
    const ready = await server.send('GET', '/readyz');
    renameSync(`${data}.gone`, data);
    expect(ready).toEqual({
      status: 500,
      text: expect.stringContaining('[-]etcd failed: data.mdb was removed while it was in use. Stop the server'),
    });
    expect((await server.send('GET', `${CONFIG_MAPS}/precious`)).status).toBe(200);
  });
});

describe('a store that was destroyed', () => {
  const backup = join(root, 'backup');
  const passphrase = join(root, 'passphrase');
  const restored = join(root, 'restored');

  it('exists again after a restore, and clients do not mistake earlier responses for current ones', async () => {
    writeFileSync(passphrase, 'correct horse battery\n');
    let server = await StoredServer.start(restored);
    const list = async (query: string) => JSON.parse((await server.send('GET', `${CONFIG_MAPS}?${query}`)).text);
    for (const name of ['one', 'two']) await server.send('POST', CONFIG_MAPS, configMap(name));
    const encrypted = ['--encrypt', '--passphrase-file', passphrase];
    const written = await runVimana('backup', backup, '--data-dir', restored, ...encrypted);
    expect(written).toMatchObject({ code: 0, err: '' });
    expect(lstatSync(backup).mode & 0o777).toBe(0o600);
    expect(readFileSync(backup, 'latin1')).not.toContain('PRIVATE KEY');
    // Writes after the backup are lost, but clients that have seen them must not mistake later objects for them.
    await server.send('POST', CONFIG_MAPS, configMap('lost'));
    const before = await list('limit=1');
    await server.stop('SIGKILL');
    rmSync(join(restored, 'objects'), { recursive: true });

    const { code, out } = await runVimana(
      'restore',
      backup,
      '--data-dir',
      restored,
      '--replace',
      '--passphrase-file',
      passphrase,
    );
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('The previous content is in') });
    expect(openToOthers(restored)).toEqual([]);

    server = await StoredServer.start(restored);
    const { items, metadata } = await list('');
    expect(items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['one', 'two']);
    const { resourceVersion, continue: token } = before.metadata;
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion) + 1e9);
    expect(await list(`limit=1&continue=${token}`)).toMatchObject({ code: 410, reason: 'Expired' });
    expect(await list(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)).toMatchObject({ code: 410 });
    const watch = await server.send(
      'GET',
      `${CONFIG_MAPS}?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=5`,
    );
    expect(JSON.parse(watch.text)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect((await server.send('POST', CONFIG_MAPS, configMap('three'))).status).toBe(201);
    await server.stop();
  });
});

describe('a data directory that was damaged', () => {
  const start = (folder: string) => runVimana('apiserver', '--port', '0', '--data-dir', folder, '--no-controllers');

  it.each([
    ['truncated', (folder: string) => truncateSync(join(folder, 'objects/data.mdb'), 20_000), 'it was truncated'],
    ['emptied', (folder: string) => rmSync(join(folder, 'objects'), { recursive: true }), 'its contents were deleted'],
    [
      'emptied, including the files that would reveal it',
      (folder: string) => {
        for (const name of ['objects', 'objects.head', 'events', 'events.head'])
          rmSync(join(folder, name), { recursive: true });
      },
      'they were deleted',
    ],
    [
      'changed',
      (folder: string) => flip(join(folder, 'objects/data.mdb'), 'precious"'),
      'the record of "/registry/configmaps/default/precious"',
    ],
  ])('is not served if it was %s', async (_what, damage, cause) => {
    const folder = join(root, 'damaged');
    cpSync(dataDir, folder, { recursive: true });
    damage(folder);
    const { code, signal, out, err } = await start(folder);
    rmSync(folder, { recursive: true });
    expect({ code, signal, out }).toEqual({ code: 1, signal: null, out: '' });
    expect(err).toContain(`the data directory ${folder} cannot be served`);
    expect(err).toContain(cause);
    expect(err).toContain(`vimana restore FILE --data-dir ${folder} --replace`);
  });
});

function flip(file: string, where: string): void {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(where); at >= 0; at = bytes.indexOf(where, at + 1)) bytes[at]! ^= 1;
  writeFileSync(file, bytes);
}
