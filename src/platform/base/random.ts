import { exponential, normal, poisson } from './distribution.ts';

/**
 * The only source of chance. Whatever draws gets one handed in, so that a simulation with the same seed makes the
 * same draws.
 */
export interface Random {
  /** A number in [0, 1), with 53 random bits. */
  next(): number;
  /** A whole number from min to max, both included, all equally likely. */
  int(min: number, max: number): number;
  /** One of the items. Throws a RangeError where there are none. */
  pick<T>(items: readonly T[]): T;
  /** The items in random order, as a new array. */
  shuffle<T>(items: readonly T[]): T[];
  /** This many hexadecimal digits. */
  hex(digits: number): string;
  /** A random UUID (RFC 4122, version 4). */
  uuid(): string;
  /** The ending that Kubernetes adds to a generateName: without vowels and look-alikes, so that it spells nothing. */
  suffix(length?: number): string;
  normal(mean: number, deviation: number): number;
  /** The time to the next event, where `rate` events happen per unit of time. */
  exponential(rate: number): number;
  /** How many events happen in a unit of time in which `lambda` are expected. */
  poisson(lambda: number): number;
  /**
   * Another source, independent of this one. From a seeded source, the same name always gives the same stream, no
   * matter what was drawn or forked before: so one part can draw more without changing what the others get.
   */
  fork(name: string): Random;
}

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Draws that follow from the seed alone; the number 1 and the text '1' are the same seed. */
export function seededRandom(seed: string | number): Random {
  return seededFrom(hash([0, 0, 0, 0], String(seed)));
}

function seededFrom(state: State): Random {
  return randomFrom(sfc32(state), (name) => seededFrom(hash(state, name)));
}

/** Draws that nobody can foresee, from the system's cryptographic source. */
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

/** All draws from a source of 32 random bits. */
function randomFrom(word: () => number, fork: (name: string) => Random): Random {
  const next = (): number => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;

  const below = (count: number): number => {
    if (count > 2 ** 32) return Math.floor(next() * count);
    // Draws past the last full multiple are thrown away, because they would favour the small numbers.
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

  const shuffle = <T>(items: readonly T[]): T[] => {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = below(last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  };

  const letters = (alphabet: string, length: number): string => {
    let text = '';
    for (let i = 0; i < length; i++) text += alphabet[below(alphabet.length)];
    return text;
  };
  const hex = (digits: number): string => {
    let text = '';
    while (text.length < digits) text += eight(word());
    return text.slice(0, digits);
  };
  const uuid = (): string => {
    const [a, b, c, d] = [word(), word(), word(), word()];
    // The bits that say which version and variant of UUID this is.
    const version = (b & 0xffff0fff) | 0x4000;
    const variant = (c & 0x3fffffff) | 0x80000000;
    return `${eight(a)}-${four(version >>> 16)}-${four(version)}-${four(variant >>> 16)}-${four(variant)}${eight(d)}`;
  };

  return {
    next,
    int,
    pick,
    shuffle,
    hex,
    uuid,
    suffix: (length = 5) => letters(SUFFIX_ALPHABET, length),
    normal: (mean, deviation) => normal(next, mean, deviation),
    exponential: (rate) => exponential(next, rate),
    poisson: (lambda) => poisson(next, lambda),
    fork,
  };
}

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const pair = (bits: number): string => PAIRS[bits & 0xff] as string;
/** The lowest 16 bits. */
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
    // The length keeps a name apart from the same name with zero characters after it.
    h = Math.imul(h ^ text.length ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return h ^ (h >>> 16);
  });
  const [a = 0, b = 0, c = 0, d = 0] = mixed;
  return [a, b, c, d];
}

/** Chris Doty-Humphrey's sfc32: small, fast, passes PractRand, and needs no more than 32-bit integers. */
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
  // The first draws still show the seed.
  for (let i = 0; i < 15; i++) word();
  return word;
}
