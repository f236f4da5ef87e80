import { GO_ESCAPES } from './go-value.ts';

/** Describes where a text stops being JSON in the words of Go's decoder, which clients of an API server know. */
export function jsonProblem(text: string | Uint8Array): string {
  const scan = new Scan(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  try {
    scan.value();
    scan.skipSpace();
    if (!scan.atEnd) scan.refuse('after top-level value');
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
  return 'invalid JSON';
}

const SPACE = new Set([' ', '\t', '\n', '\r']);
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };
const isDigit = (char: string): boolean => char >= '0' && char <= '9';

/** Scans JSON only to find its first error. It works byte by byte because Go names the byte it met. */
class Scan {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  skipSpace(): void {
    while (!this.atEnd && SPACE.has(this.#peek())) this.#at++;
  }

  refuse(where: string): never {
    throw new SyntaxError(`invalid character ${quoteChar(this.#peek())} ${where}`);
  }

  value(): void {
    const char = this.#next();
    const literal = LITERALS[char];
    if (char === '{') this.#members();
    else if (char === '[') this.#items();
    else if (char === '"') this.#string();
    else if (char === '-' || isDigit(char)) this.#number(char);
    else if (literal !== undefined) this.#literal(literal);
    else this.#refuseLast('looking for beginning of value');
  }

  #members(): void {
    for (let first = true; ; first = false) {
      const char = this.#next();
      if (first && char === '}') return;
      if (char !== '"') this.#refuseLast('looking for beginning of object key string');
      this.#string();
      if (this.#next() !== ':') this.#refuseLast('after object key');
      this.value();
      const after = this.#next();
      if (after === '}') return;
      if (after !== ',') this.#refuseLast('after object key:value pair');
    }
  }

  #items(): void {
    this.skipSpace();
    if (!this.atEnd && this.#peek() === ']') {
      this.#at++;
      return;
    }
    for (;;) {
      this.value();
      const after = this.#next();
      if (after === ']') return;
      if (after !== ',') this.#refuseLast('after array element');
    }
  }

  #string(): void {
    for (;;) {
      const char = this.#take();
      if (char === '"') return;
      if (char < ' ') this.#refuseLast('in string literal');
      if (char !== '\\') continue;
      const escape = this.#take();
      if (escape === 'u') {
        for (let left = 4; left > 0; left--) {
          if (!/[\da-fA-F]/.test(this.#take())) this.#refuseLast('in \\u hexadecimal character escape');
        }
      } else if (!'bfnrt\\/"'.includes(escape)) this.#refuseLast('in string escape code');
    }
  }

  #number(first: string): void {
    const lead = first === '-' ? this.#take() : first;
    if (!isDigit(lead)) this.#refuseLast('in numeric literal');
    if (lead !== '0') this.#digits();
    if (!this.atEnd && this.#peek() === '.') {
      this.#at++;
      if (!isDigit(this.#take())) this.#refuseLast('after decimal point in numeric literal');
      this.#digits();
    }
    if (this.atEnd || this.#peek().toLowerCase() !== 'e') return;
    this.#at++;
    const sign = this.#take();
    if (!isDigit(sign === '+' || sign === '-' ? this.#take() : sign))
      this.#refuseLast('in exponent of numeric literal');
    this.#digits();
  }

  #digits(): void {
    while (!this.atEnd && isDigit(this.#peek())) this.#at++;
  }

  #literal(literal: string): void {
    for (const expected of literal.slice(1)) {
      if (this.#take() !== expected) this.#refuseLast(`in literal ${literal} (expecting '${expected}')`);
    }
  }

  /** Returns the next character that is not a space. */
  #next(): string {
    this.skipSpace();
    return this.#take();
  }

  #take(): string {
    const char = this.#peek();
    this.#at++;
    return char;
  }

  #peek(): string {
    if (this.atEnd) throw new SyntaxError('unexpected end of JSON input');
    return String.fromCharCode(this.#bytes[this.#at] ?? 0);
  }

  #refuseLast(where: string): never {
    this.#at--;
    this.refuse(where);
  }
}

const NAMED: Readonly<Record<string, string>> = { ...GO_ESCAPES, "'": "\\'" };

/** Formats a byte as Go prints the character of that number. */
function quoteChar(char: string): string {
  const code = char.charCodeAt(0);
  if (code >= 0x80 && (code < 0xa1 || code === 0xad)) return `'\\u${code.toString(16).padStart(4, '0')}'`;
  if (code < 0x20 || code === 0x7f) return `'${NAMED[char] ?? `\\x${code.toString(16).padStart(2, '0')}`}'`;
  return `'${NAMED[char] ?? char}'`;
}
