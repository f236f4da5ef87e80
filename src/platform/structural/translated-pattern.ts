/** Pattern that JavaScript reads as RE2 does, and the longest text on which it surely is fast. */
export interface TranslatedPattern {
  readonly expression: RegExp;
  readonly longest: number;
}

/** Maximum number of steps of a search in the worst case. */
const MAX_STEPS = 1_000_000;
const MAX_REPEATS = 1000;

/**
 * Translates a pattern. Returns undefined if it uses something that the two engines read differently, or that only one
 * has.
 */
export function translatePattern(source: string): TranslatedPattern | undefined {
  const reader = new Reader(source);
  const part = reader.alternatives();
  if (part === undefined || !reader.atEnd) return undefined;
  const loops = part.loops + (source.startsWith('^') && !reader.isSplit ? 0 : 1);
  const longest = longestText(part, loops);
  return longest < 1 ? undefined : { expression: new RegExp(part.text, 'u'), longest };
}

/** Returns the maximum text length at which an exhaustive search stays below the maximum number of steps. */
function longestText({ ways, pieces }: Part, loops: number): number {
  // A loop over something ambiguous may try every way to split a text into pieces, and every way to read each piece.
  if (pieces > 1) return Math.floor(Math.log(MAX_STEPS / ways) / Math.log(pieces));
  if (ways > MAX_STEPS) return 0;
  return loops <= 1 ? Number.POSITIVE_INFINITY : Math.floor((MAX_STEPS / ways) ** (1 / loops));
}

interface Part {
  readonly text: string;
  /** Number of loops that may have to be tried against each other. */
  readonly loops: number;
  /** Number of ways to read the part, apart from loops. */
  readonly ways: number;
  /** Base of the exponential growth of a loop over an ambiguous part with the text length. One if there is none. */
  readonly pieces: number;
  /** The part has alternatives, so that a loop may split the same text at different positions. */
  readonly choices: boolean;
}

const plain = (text: string): Part => ({ text, loops: 0, ways: 1, pieces: 1, choices: false });
const product = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1);

/** Reads the patterns on which both engines agree and translates them to JavaScript. */
class Reader {
  readonly #source: string;
  #at = 0;
  /** The pattern as a whole is a choice, in which an anchor binds only a part. */
  isSplit = false;

  constructor(source: string) {
    this.#source = source;
  }

  get atEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }

  alternatives(): Part | undefined {
    const parts: Part[] = [];
    do {
      const part = this.#sequence();
      if (part === undefined) return undefined;
      parts.push(part);
    } while (this.#take(/\|/y) !== undefined);
    this.isSplit = parts.length > 1;
    return {
      text: parts.map(({ text }) => text).join('|'),
      loops: Math.max(...parts.map(({ loops }) => loops)),
      ways: waysOf(parts),
      pieces: Math.max(...parts.map(({ pieces }) => pieces)),
      choices: parts.length > 1 || parts.some(({ choices }) => choices),
    };
  }

  #sequence(): Part | undefined {
    const parts: Part[] = [];
    while (!this.atEnd && !/[|)]/.test(this.#source.charAt(this.#at))) {
      const atom = this.#atom();
      const part = atom === undefined ? undefined : this.#repeated(atom);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return {
      text: parts.map(({ text }) => text).join(''),
      loops: parts.reduce((sum, { loops }) => sum + loops, 0),
      ways: product(parts.map(({ ways }) => ways)),
      pieces: product(parts.map(({ pieces }) => pieces)),
      choices: parts.some(({ choices }) => choices),
    };
  }

  #repeated(atom: Part): Part | undefined {
    const match = this.#take(/(?:[*+?]|\{(\d{1,4})(,(\d{1,4})?)?\})\??/y);
    if (match === undefined) return atom;
    // A repetition directly after another is an error in one engine and has its own meaning in the other.
    if (/[*+?{]/.test(this.#source.charAt(this.#at))) return undefined;
    const [sign, min, range, max] = match;
    if (Math.max(Number(min ?? 0), Number(max ?? 0)) > MAX_REPEATS) return undefined;
    if (max !== undefined && Number(max) < Number(min)) return undefined;
    // Nested repeats multiply, and RE2 limits the product.
    if (min !== undefined && (atom.loops > 0 || /\{/.test(atom.text))) return undefined;
    const text = atom.text + sign;
    if (sign.startsWith('?')) return { ...atom, text, ways: atom.ways * 2 };
    if (min !== undefined && range === undefined) return { ...atom, text, ways: atom.ways ** Number(min) };
    const isAmbiguous = atom.loops > 0 || atom.ways > 1 || atom.pieces > 1 || atom.choices;
    const pieces = isAmbiguous ? atom.pieces * (1 + atom.ways * (1 + atom.loops)) : 1;
    return { text, loops: 1, ways: 1, pieces, choices: atom.choices };
  }

  #atom(): Part | undefined {
    if (this.#take(/\((?:\?:)?(?!\?)/y) !== undefined) {
      const inner = this.alternatives();
      if (inner === undefined || this.#take(/\)/y) === undefined) return undefined;
      return { ...inner, text: `(?:${inner.text})` };
    }
    if (this.#take(/\./y) !== undefined) return plain('[^\\n]');
    const anchor = this.#take(/[\^$]/y);
    if (anchor !== undefined) return /[*+?{]/.test(this.#source.charAt(this.#at)) ? undefined : plain(anchor[0]);
    const escape = this.#take(/\\([dwDW\\.+*?()[\]{}|^$/-])/y);
    if (escape !== undefined) return plain(escape[1] === '-' ? '-' : escape[0]);
    if (this.#source.charAt(this.#at) === '[') return this.#class();
    const letter = this.#take(/[^\\.+*?()[\]{}|^$]/uy);
    return letter === undefined ? undefined : plain(letter[0]);
  }

  #class(): Part | undefined {
    const match = this.#take(/\[(\^?)((?:[^\\[\]^&~-]|\\[dw\\.+*?()[\]{}|^$/-]|-)+)\]/uy);
    if (match === undefined) return undefined;
    const [, not = '', items = ''] = match;
    // A class escape at the end of a range is an error in RE2.
    if (/\\[dw]-[^\]]|-\\[dw]/.test(items)) return undefined;
    const text = `[${not}${items}]`;
    return isClass(text) ? plain(text) : undefined;
  }
}

/** Counts the ways to read alternatives. Different literal words cannot match the same text. */
function waysOf(parts: readonly Part[]): number {
  const words = parts.map(({ text }) => /^(?:[\p{L}\p{N}%-]|\\[.+*?$^])+$/u.exec(text)?.[0]);
  if (!words.includes(undefined) && new Set(words).size === parts.length) return 1;
  return parts.reduce((sum, { ways }) => sum + ways, 0);
}

function isClass(text: string): boolean {
  try {
    return new RegExp(text, 'u').source !== '';
  } catch {
    return false;
  }
}
