import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import { keyOfImage } from './digest.ts';
import { ImageVerifier } from './verifier.ts';
import type { WebAnswer } from './web.ts';

const checksum = `sha256:${createHash('sha256').update('right').digest('hex')}`;
const imageAt = (path: string) => ({ source: `http://images.example.org/${path}`, checksum });
const image = imageAt('a');

let clock: FakeClock;
let log: ReturnType<typeof createMemoryLogger>;
let verifier: ImageVerifier;
let stop: AbortController;
/** Requests that wait for a response, and their total number. */
let open: ((text: string | number) => void)[];
let requested: number;
let signals: AbortSignal[];
let woken: string[];

beforeEach(() => {
  clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
  log = createMemoryLogger(clock);
  stop = new AbortController();
  open = [];
  requested = 0;
  signals = [];
  woken = [];
  const web = (_url: string, { signal }: { readonly signal: AbortSignal }) =>
    new Promise<WebAnswer>((resolve, reject) => {
      requested += 1;
      signals.push(signal);
      signal.addEventListener('abort', () => reject(signal.reason));
      open.push((said) => resolve(answering(said)));
    });
  verifier = new ImageVerifier({ web, clock, log });
  verifier.onAnswer((key) => woken.push(key));
});

function answering(said: string | number): WebAnswer {
  if (typeof said === 'number') return { status: said, headers: new Headers(), body: null };
  return { status: 200, headers: new Headers(), body: pieces(said) };
}
async function* pieces(text: string) {
  for (const letter of text) yield Buffer.from(letter);
}
const userIn = (namespace: string, name = 'vm') => ({ namespace, key: `${namespace}/${name}` });
/** Verifies an image for a VM in a namespace of its own, unless one is named. */
const look = (which = image, namespace = which.source) => verifier.verification(which, userIn(namespace), stop.signal);
const answer = async (said: string | number) => {
  open.shift()?.(said);
  await clock.advance(0);
};
const waits = (reason: string) => ({ state: 'waits', blocker: { reason } });

describe('an image', () => {
  it('is downloaded once for all VMs, and never again if it matches', async () => {
    for (let i = 0; i < 3; i++) expect(look()).toMatchObject(waits('VerifyingImage'));
    expect(requested).toBe(1);
    await answer('right');
    expect(woken).toEqual([keyOfImage(image)]);
    await clock.advance(24 * 3_600_000);
    expect(look()).toEqual({ state: 'verified' });
    expect(requested).toBe(1);
  });

  it('of another digest, or at another place, is another image', async () => {
    look();
    await answer('right');
    look(imageAt('b'));
    look({ ...image, checksum: `sha256:${'0'.repeat(64)}` });
    expect(requested).toBe(3);
  });

  it('that does not match is downloaded again after a while, and stays rejected meanwhile', async () => {
    look();
    await answer('wrong');
    const rejected = look();
    expect(rejected).toMatchObject({ ...waits('ChecksumMismatch'), blocker: { until: clock.now() + 300_000 } });
    await clock.advance(299_999);
    look();
    expect(requested).toBe(1);
    await clock.advance(1);
    expect(look()).toMatchObject(waits('ChecksumMismatch'));
    expect(look()).not.toHaveProperty('obstacle.until');
    expect(requested).toBe(2);
    await answer('right');
    expect(look()).toEqual({ state: 'verified' });
  });

  it('that is not accessible is retried with increasing delays', async () => {
    const waited: number[] = [];
    for (let i = 0; i < 7; i++) {
      look();
      await answer(503);
      const verdict = look();
      const until = verdict.state === 'waits' ? (verdict.blocker.until ?? 0) : 0;
      waited.push((until - clock.now()) / 1000);
      await clock.advance(until - clock.now());
    }
    expect(waited).toEqual([10, 20, 40, 80, 160, 300, 300]);
    expect(requested).toBe(7);
  });

  it('is downloaded again for later VMs after one that stopped', async () => {
    look();
    stop.abort();
    stop = new AbortController();
    expect(look()).toMatchObject(waits('VerifyingImage'));
    await clock.advance(0);
    expect(woken).toEqual([keyOfImage(image)]);
    look();
    expect(requested).toBe(2);
    open.shift();
    await answer('right');
    expect(look()).toEqual({ state: 'verified' });
  });
});

describe('many images', () => {
  it('are fetched sixteen at once', async () => {
    for (let i = 0; i < 18; i++) look(imageAt(`${i}`));
    expect(requested).toBe(16);
    await answer('right');
    expect(requested).toBe(17);
    for (let i = 0; i < 17; i++) await answer('right');
    for (let i = 0; i < 18; i++) expect(look(imageAt(`${i}`))).toEqual({ state: 'verified' });
  });

  it('of one namespace, however slow, do not keep others waiting', async () => {
    const many = (i: number) => verifier.verification(imageAt(`slow${i}`), userIn('mallory', `vm${i}`), stop.signal);
    for (let i = 0; i < 100; i++) many(i);
    expect(requested).toBe(2);
    look(imageAt('wanted'), 'ann');
    expect(requested).toBe(3);
    // The other namespace waits for this image too.
    look(imageAt('slow99'), 'bob');
    expect(requested).toBe(4);
  });

  it('are no longer downloaded once their VMs are deleted', async () => {
    const [first, second, third] = ['a', 'b', 'c'].map(imageAt);
    for (const [i, each] of [first, second, third].entries())
      verifier.verification(each ?? image, userIn('one', `vm${i}`), stop.signal);
    look(second, 'two');
    expect(requested).toBe(2);
    verifier.release('one/vm0');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await clock.advance(0);
    expect(requested).toBe(3);
    verifier.release('one/vm1');
    expect(signals[1]?.aborted).toBe(false);
    verifier.release('two/vm');
    expect(signals[1]?.aborted).toBe(true);
    // A VM that switches to another image no longer needs the first one.
    verifier.verification(imageAt('d'), userIn('one', 'vm2'), stop.signal);
    expect(signals[2]?.aborted).toBe(true);
    await clock.advance(0);
    expect(woken).toEqual([]);
    expect(requested).toBe(4);
    expect(look(first)).toMatchObject(waits('VerifyingImage'));
    expect(requested).toBe(5);
  });

  it('are not all kept in memory', async () => {
    for (let i = 0; i <= 1000; i++) {
      look(imageAt(`${i}`));
      open.shift()?.('right');
      // All further work is done in promises.
      if (i % 4 === 3) await clock.advance(0);
    }
    await clock.advance(0);
    expect(requested).toBe(1001);
    expect(look(imageAt('1000'))).toEqual({ state: 'verified' });
    expect(look(imageAt('0'))).toMatchObject(waits('VerifyingImage'));
    expect(requested).toBe(1002);
  });
});

it('nothing that is secret in an address is logged', async () => {
  const secret = { ...image, source: 'http://ann:hidden@images.example.org/a?signature=hidden' };
  verifier.verification(secret, userIn('default'), stop.signal);
  await answer('wrong');
  expect(log.entries).toHaveLength(1);
  expect(JSON.stringify(log.entries)).not.toContain('hidden');
});
