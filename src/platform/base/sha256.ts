import { encodeUtf8 } from './bytes.ts';

/** Constants of FIPS 180-4: the fractional parts of the roots of the first primes. */
const FIRST = roots(8, 1 / 2);
const ROUNDS = roots(64, 1 / 3);
const BLOCK_BYTES = 64;

/**
 * Returns the SHA-256 digest of a text in UTF-8. It is for names and fingerprints of short texts, which take a few
 * microseconds, because a browser has only asynchronous digests. Secrets are hashed by Node.js.
 */
export function sha256(text: string): Uint8Array {
  const blocks = toBlocks(encodeUtf8(text));
  const state = Int32Array.from(FIRST);
  const schedule = new Int32Array(64);
  for (let at = 0; at < blocks.byteLength; at += BLOCK_BYTES) {
    expand(schedule, blocks, at);
    compress(state, schedule);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) digest.setInt32(i * 4, word);
  return new Uint8Array(digest.buffer);
}

/** Appends a one bit, zeros, and the length in bits, which completes the last block. */
function toBlocks(bytes: Uint8Array): DataView {
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setBigUint64(blocks.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function expand(schedule: Int32Array, blocks: DataView, at: number): void {
  const word = (i: number) => schedule[i] as number;
  for (let i = 0; i < 16; i++) schedule[i] = blocks.getInt32(at + i * 4);
  for (let i = 16; i < 64; i++) {
    const [early, late] = [word(i - 15), word(i - 2)];
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    schedule[i] = word(i - 16) + small + word(i - 7) + large;
  }
}

function compress(state: Int32Array, schedule: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const chosen = (e & f) ^ (~e & g);
    const sumE = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + sumE + chosen + (ROUNDS[i] as number) + (schedule[i] as number)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word;
}

const turned = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

function roots(count: number, power: number): Int32Array {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) {
    if (isPrime(n)) found.push(((n ** power % 1) * 2 ** 32) | 0);
  }
  return Int32Array.from(found);
}

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false;
  return true;
}
