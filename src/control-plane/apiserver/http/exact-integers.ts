import { NumberTooLarge } from '#platform/base/finite-json';
import { endOfString } from './json-text.ts';

/** Integers with fewer digits are exact. */
const DIGITS = 16;
const INT64_LIMIT = 2n ** 63n;
const NUMBERS = /-?\d[\d.eE+-]*/g;
const LONG_INTEGER = /^-?\d{16,19}$/;

/**
 * Rejects JSON with an integer that Kubernetes stores in 64 bits and that would come back with other digits here, where
 * numbers are doubles. Kubernetes rounds integers of more than 64 bits too.
 */
export function assertExactIntegers(text: string): void {
  if (!hasLongDigits(text)) return;
  for (let start = 0; start < text.length; ) {
    const quote = text.indexOf('"', start);
    const end = quote < 0 ? text.length : quote;
    if (end - start >= DIGITS) {
      for (const [found] of text.slice(start, end).matchAll(NUMBERS)) if (!isExact(found)) throw inexact(found);
    }
    start = quote < 0 ? text.length : endOfString(text, quote) + 1;
  }
}

const inexact = (found: string): NumberTooLarge =>
  new NumberTooLarge(
    `json: cannot keep all digits of ${found}: integers are exact up to ${Number.MAX_SAFE_INTEGER}; send it as a string`,
  );

function isExact(found: string): boolean {
  if (!LONG_INTEGER.test(found)) return true;
  const value = BigInt(found);
  return value >= INT64_LIMIT || value < -INT64_LIMIT || String(Number(found)) === found;
}

/**
 * Reports whether there are that many digits in a row, quoted or not. Only every sixteenth position is checked, because
 * such a run covers one of them.
 */
function hasLongDigits(text: string): boolean {
  for (let at = DIGITS - 1; at < text.length; at += DIGITS) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (isDigit(text, start - 1) && at - start < DIGITS) start--;
    let end = at;
    while (isDigit(text, end + 1) && end - start < DIGITS) end++;
    if (end - start + 1 >= DIGITS) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
