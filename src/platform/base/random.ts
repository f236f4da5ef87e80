import { exponential, normal, poisson } from './distribution.ts';

/**
 * The only source of randomness. Code that draws gets one injected, so that a simulation with the same seed makes the
 * same draws.
 */
export interface Random {
  /** Returns a number in [0, 1), with 53 random bits. */
  next(): number;
  /** Returns a uniformly distributed integer from min to max, both included. */
  int(min: number, max: number): number;
  /** Returns one of the items. Throws a RangeError if there are none. */
  pick<T>(items: readonly T[]): T;
  /** Returns the items in random order, as a new array. */
  shuffle<T>(items: readonly T[]): T[];
  /** Returns this many hexadecimal digits. */
  hex(digits: number): string;
  /** Returns a random UUID (RFC 4122, version 4). */
  uuid(): string;
  /**
   * Returns the suffix that Kubernetes adds to a generateName. It has no vowels and look-alikes, so that it spells no
   * word.
   */
  suffix(length?: number): string;
  normal(mean: number, deviation: number): number;
  /** Draws the time to the next event, if `rate` events happen per unit of time. */
  exponential(rate: number): number;
  /** Draws the number of events in a unit of time in which `lambda` are expected. */
  poisson(lambda: number): number;
  /**
   * Returns another source, independent of this one. From a seeded source, the same name always gives the same stream,
   * regardless of earlier draws and forks, so one part can draw more without changing the draws of the others.
   */
  fork(name: string): Random;
}

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Creates a source whose draws depend on the seed alone. The number 1 and the text '1' are the same seed. */
export function seededRandom(seed: string | number): Random {
  return seededFrom(hash([0, 0, 0, 0], String(seed)));
}

function seededFrom(state: State): Random {
  return randomFrom(sfc32(state), (name) => seededFrom(hash(state, name)));
}

/** Creates a source of unpredictable draws from the system's cryptographic source. */
export function systemRandom(): Random {
  const words = new Uint32Array(256);
  let used = words.length;
  const word = (): number => {
    if (used === words.length) {
      crypto.getRandomValues(words);
      used = 0;
    }
    return words[used++] ?? 0;
  };
  return randomFrom(word, systemRandom);
}

/** Implements all draws on a source of 32 random bits. */
function randomFrom(word: () => number, fork: (name: string) => Random): Random {
  const next = (): number => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;

  const below = (count: number): number => {
    if (count > 2 ** 32) return Math.floor(next() * count);
    // Draws past the last full multiple are discarded, because they would favor small numbers.
    const limit = 2 ** 32 - (2 ** 32 % count);
    let drawn = word();
    while (drawn >= limit) drawn = word();
    return drawn % count;
  };

  const int = (min: number, max: number): number => {
    if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || max < min || max - min >= Number.MAX_SAFE_INTEGER) {
      throw new RangeError(`no whole number can be drawn from ${min} to ${max}`);
    }
    return min + below(max - min + 1);
  };

  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new RangeError('there is nothing to pick from');
    return items[below(items.length)] as T;
  };

  return {
    next,
    int,
    pick,
    shuffle: (items) => shuffle(below, items),
    hex: (digits) => hex(word, digits),
    uuid: () => uuid(word),
    suffix: (length = 5) => letters(below, SUFFIX_ALPHABET, length),
    normal: (mean, deviation) => normal(next, mean, deviation),
    exponential: (rate) => exponential(next, rate),
    poisson: (lambda) => poisson(next, lambda),
    fork,
  };
}

type Below = (count: number) => number;
type Word = () => number;

function shuffle<T>(below: Below, items: readonly T[]): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = below(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}

function letters(below: Below, alphabet: string, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += alphabet[below(alphabet.length)];
  return text;
}

function hex(word: Word, digits: number): string {
  let text = '';
  while (text.length < digits) text += eight(word());
  return text.slice(0, digits);
}

function uuid(word: Word): string {
  const [a, b, c, d] = [word(), word(), word(), word()];
  // These bits state the version and variant of the UUID.
  const version = (b & 0xffff0fff) | 0x4000;
  const variant = (c & 0x3fffffff) | 0x80000000;
  return `${eight(a)}-${four(version >>> 16)}-${four(version)}-${four(variant >>> 16)}-${four(variant)}${eight(d)}`;
}

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const pair = (bits: number): string => PAIRS[bits & 0xff] as string;
/** Formats the lowest 16 bits. */
const four = (bits: number): string => pair(bits >>> 8) + pair(bits);
const eight = (bits: number): string => four(bits >>> 16) + four(bits);

type State = readonly [number, number, number, number];

/** Mixes text into a state of 128 bits, one character at a time, with the finishing steps of MurmurHash3. */
function hash(state: State, text: string): State {
  const mixed = state.map((word, lane) => {
    let h = word ^ Math.imul(lane + 1, 0x9e3779b9);
    for (let i = 0; i < text.length; i++) {
      h = Math.imul(h ^ text.charCodeAt(i), 0x85ebca6b + 2 * lane);
      h = (h << 13) | (h >>> 19);
    }
    // The length distinguishes a name from the same name followed by zero characters.
    h = Math.imul(h ^ text.length ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return h ^ (h >>> 16);
  });
  const [a = 0, b = 0, c = 0, d = 0] = mixed;
  return [a, b, c, d];
}

/** Implements Chris Doty-Humphrey's sfc32: small, fast, passes PractRand, and needs only 32-bit integers. */
function sfc32([a0, b0, c0, d0]: State): () => number {
  let [a, b, c, counter] = [a0, b0, c0, d0];
  const word = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // The first draws still reveal the seed, so they are discarded.
  for (let i = 0; i < 15; i++) word();
  return word;
}
