import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { download } from './download.ts';
import { imageServer, RIGHT } from './image-server.fixture.ts';
import { webOf } from './web.ts';

let server: Awaited<ReturnType<typeof imageServer>>;
beforeAll(async () => {
  server = await imageServer();
});
afterAll(() => server.close());

const limits = { bytes: 384 * 1024, idleMs: 30_000, allMs: 3_600_000 };
const clock = new FakeClock({ start: 0 });
const from = (path: string, signal = new AbortController().signal) =>
  download(
    { source: `${server.url}${path}`, checksum: `sha256:${RIGHT.value}` },
    { web: webOf(fetch), clock, limits },
    signal,
  );

describe('an image on a web server', () => {
  it.each(['/image', '/moved'])('at %s is read to its end for its digest', async (path) => {
    expect(await from(path)).toEqual({ digest: RIGHT.value });
  });

  it('that is not there has no digest', async () => {
    expect(await from('/nowhere')).toEqual({ failure: 'the server returned 404' });
  });

  it('that breaks off in the middle has no digest', async () => {
    expect(await from('/broken')).toEqual({ failure: expect.stringMatching(/./) });
  });

  it('that is too large is not read to its end', async () => {
    expect(await from('/endless')).toEqual({ failure: 'it is larger than 384Ki' });
  });

  it('that stalls is canceled', async () => {
    const still = { isOpen: true };
    const found = from('/slow').finally(() => (still.isOpen = false));
    // Data in transit may still arrive while time advances.
    while (still.isOpen) await clock.advance(10_000);
    expect(await found).toEqual({ failure: 'no data received for 30s' });
  });

  it('does not delay a caller that stops', async () => {
    const stop = new AbortController();
    const found = from('/slow', stop.signal);
    stop.abort();
    expect(await found).toBeUndefined();
  });

  it('fails if no server is there', async () => {
    const image = { source: 'http://127.0.0.1:1/a', checksum: `sha256:${RIGHT.value}` };
    const found = await download(image, { web: webOf(fetch), clock, limits }, new AbortController().signal);
    expect(found).toEqual({ failure: expect.stringMatching(/./) });
  });

  it('leaves no timer behind', () => {
    expect(clock.pending).toBe(0);
  });
});

it('an image that arrives slowly is canceled after the timeout', async () => {
  const drops = new FakeClock({ start: 0 });
  async function* body(signal: AbortSignal) {
    for (;;) {
      await drops.sleep(20_000, signal);
      yield new Uint8Array(1);
    }
  }
  const found = download(
    { source: 'http://images.example.org/a', checksum: `sha256:${RIGHT.value}` },
    {
      web: async (_url, { signal }) => ({ status: 200, headers: new Headers(), body: body(signal) }),
      clock: drops,
      limits,
    },
    new AbortController().signal,
  );
  await drops.advance(3_600_000);
  expect(await found).toEqual({ failure: 'timeout after 60 minutes' });
});
