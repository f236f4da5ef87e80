import { append } from '#platform/base/append';
import type { Token } from './lexer.ts';
import { Uint, type Value } from './values.ts';

const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

/** Returns the value of a literal token, or its problem. */
export function literalValue(token: Token, negative = false): { value: Value } | { problem: string } {
  switch (token.kind) {
    case 'int': {
      const value = negative ? -BigInt(token.text) : BigInt(token.text);
      return value > MAX_INT || value < -MAX_INT - 1n ? { problem: 'invalid int literal' } : { value };
    }
    case 'uint': {
      const value = BigInt(token.text.slice(0, -1));
      return value > MAX_UINT ? { problem: 'invalid uint literal' } : { value: new Uint(value) };
    }
    case 'float': {
      const value = Number(token.text);
      return Number.isFinite(value) ? { value: negative ? -value : value } : { problem: 'invalid double literal' };
    }
    default:
      return textValue(token);
  }
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function textValue({ kind, text }: Token): { value: Value } | { problem: string } {
  const prefix = /^[rRbB]*/.exec(text)?.[0] ?? '';
  const quoted = text.slice(prefix.length);
  const width = /^("""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  // A line break is one character in an expression, no matter which form the file uses.
  const body = quoted.slice(width, -width).replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const parts: (string | number)[] = /r/i.test(prefix) ? [body] : unescape(body);
  if (kind === 'bytes') {
    const wide = parts.some((part, i) => typeof part === 'number' && /^\\[uU]/.test(escapesOf(body)[i] ?? ''));
    return wide ? { problem: 'unable to unescape string' } : { value: bytesOf(parts) };
  }
  let value = '';
  for (const part of parts) {
    if (typeof part === 'number' && ((part >= 0xd800 && part <= 0xdfff) || part > 0x10ffff)) {
      return { problem: 'invalid unicode code point' };
    }
    value += typeof part === 'string' ? part : String.fromCodePoint(part);
  }
  return { value };
}

function escapesOf(body: string): string[] {
  return body.split(/(\\(?:[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|[^]))/);
}

/** Splits into plain text and the code points of escapes. */
function unescape(body: string): (string | number)[] {
  return escapesOf(body).map((part) => {
    if (!part.startsWith('\\') || part.length < 2) return part;
    const letter = part.charAt(1);
    if ('xXuU'.includes(letter) && part.length > 2) return Number.parseInt(part.slice(2), 16);
    if (/^[0-3][0-7]{2}$/.test(part.slice(1))) return Number.parseInt(part.slice(1), 8);
    return SIMPLE[letter] ?? letter;
  });
}

function bytesOf(parts: readonly (string | number)[]): Uint8Array {
  const bytes: number[] = [];
  for (const part of parts) {
    if (typeof part === 'number') bytes.push(part);
    else append(bytes, new TextEncoder().encode(part));
  }
  return new Uint8Array(bytes);
}
