import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VM_TEMPLATES } from '#api/hypersdk/resources';
import { VMIS } from '#api/kubevirt/resources';
import { imageServer, RIGHT, WRONG } from '#vm/images/image-server.fixture';
import type { ImageFetch } from '#vm/images/web';
import { namespace, World } from './world.ts';

const world = new World();
let server: Awaited<ReturnType<typeof imageServer>>;
/** Time stands still while a server responds, however long that takes. */
const images: ImageFetch = async (url, options) => {
  using _still = world.clock.hold();
  const { status, headers, body } = await fetch(url, options);
  if (url.includes('/slow')) return { status, headers, body };
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return {
    status,
    headers,
    body: (async function* () {
      yield* pieces;
    })(),
  };
};
beforeAll(async () => {
  server = await imageServer();
  await world.start({ images });
});
afterAll(async () => {
  await world.stop();
  await server.close();
});

const imageAt = (path: string, checksum: object = RIGHT) => ({ source: `${server.url}${path}`, checksum });
const diskReady = (name: string) => world.condition(name, 'DiskReady');
const reasons = async (name: string) => (await world.events(name)).map((each) => each.split(':', 1)[0]);

const askedFor = (path: string) => server.asked.filter((each) => each === `GET ${path}`).length;

describe('a VM whose image has a checksum, if images are verified', () => {
  it('stays Pending if its image does not match, until its checksum is corrected', async () => {
    await world.make('db', { image: imageAt('/image/db', WRONG) });
    expect(await world.phase('db')).toBe('Pending');
    const message = `the image at ${server.url}/image/db does not match its checksum sha256:${WRONG.value}`;
    expect(await diskReady('db')).toMatchObject({ status: 'False', reason: 'ChecksumMismatch', message });
    expect(await world.condition('db', 'Ready')).toMatchObject({ status: 'False', reason: 'ChecksumMismatch' });
    expect(await world.events('db')).toContain(`ChecksumMismatch: ${message}`);
    expect(await world.names(VMIS)).toEqual([]);
    await world.advance(300_000);
    expect(askedFor('/image/db')).toBe(2);
    expect((await reasons('db')).filter((each) => each === 'ChecksumMismatch')).toHaveLength(1);
    await world.edit('db', { image: imageAt('/image/db') });
    expect(await world.phase('db')).toBe('Running');
  });

  it('is started after its image was verified, which is not repeated', async () => {
    await world.make('web', { image: imageAt('/moved/web') });
    expect(await world.phase('web')).toBe('Running');
    const verified = { status: 'True', message: 'bound: web-root (the sha256 of its image is verified)' };
    expect(await diskReady('web')).toMatchObject(verified);
    expect((await world.vm('web')).status?.verifiedImage).toBe(`sha256:${RIGHT.value}`);
    expect(await reasons('web')).toEqual(expect.arrayContaining(['VerifyingImage', 'ImageVerified']));

    await world.edit('web', { running: false });
    await world.edit('web', { running: true });
    expect(await world.phase('web')).toBe('Running');
    expect(await diskReady('web')).toMatchObject(verified);
    await world.make('other', { image: imageAt('/moved/web') });
    expect(await world.phase('other')).toBe('Running');
    expect(askedFor('/moved/web')).toBe(1);
  });

  it.each([
    ['lost', '/nowhere/lost', /^cannot download the image at .*\/nowhere\/lost: the server returned 404$/],
    ['half', '/broken/half', /^cannot download the image at .*\/broken\/half: ./],
  ])('stays Pending if its image %s at %s is not accessible, which is retried', async (name, path, message) => {
    await world.make(name, { image: imageAt(path) });
    expect(await world.phase(name)).toBe('Pending');
    const said = { status: 'False', reason: 'ImageNotAccessible', message: expect.stringMatching(message) };
    expect(await diskReady(name)).toMatchObject(said);
    expect(await reasons(name)).toEqual(expect.arrayContaining(['VerifyingImage', 'ImageNotAccessible']));
    await world.advance(30_000);
    expect(askedFor(path)).toBe(3);
    expect(await world.phase(name)).toBe('Pending');
  });

  it('reports the download of its image, and gives up after a timeout', async () => {
    await world.make('late', { image: imageAt('/slow/late') });
    expect(await world.phase('late')).toBe('Pending');
    expect(await diskReady('late')).toMatchObject({ status: 'False', reason: 'VerifyingImage' });
    // Responses in progress may still arrive while time advances.
    while ((await diskReady('late'))?.reason === 'VerifyingImage') await world.advance(10_000);
    expect(await diskReady('late')).toMatchObject({
      reason: 'ImageNotAccessible',
      message: expect.stringMatching(/no data received for 30s$/),
    });
  });

  it.each([
    ['here', '/image/here', 'True', 'Running'],
    ['gone', '/nowhere/gone', 'False', 'Pending'],
  ])('is of template %s, whose image at %s is accessible: %s', async (name, path, status, phase) => {
    const spec = { displayName: name, image: imageAt(path) };
    await world.admin.create(VM_TEMPLATES, { metadata: { name, namespace }, spec });
    await world.make(`of-${name}`, { image: { templateRef: { name } } });
    const { status: seen } = await world.admin.get(VM_TEMPLATES, name, { namespace });
    const accessible = seen?.conditions?.find(({ type }) => type === 'ImageAccessible');
    expect(accessible).toMatchObject({ status, message: expect.stringMatching(/is verified before the first start/) });
    expect(await world.phase(`of-${name}`)).toBe(phase);
  });
});
