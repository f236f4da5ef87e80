import { ParseError } from './errors.ts';
import { memoize } from './memoize.ts';

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/**
 * Exact amount of a resource in the sense of Kubernetes. `nano` is the amount in billionths, the finest step that
 * Kubernetes stores, and `format` is its output format. `text` is set when Kubernetes would keep the spelling as given
 * (1.024k, +1) instead of the canonical one; results of arithmetic never have it.
 */
export interface Quantity {
  readonly nano: bigint;
  readonly format: QuantityFormat;
  readonly text?: string;
}

const NANO = 1_000_000_000n;
const MAX_INT64 = 2n ** 63n - 1n;
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
// Kubernetes has no bound, but a short text such as 1e999999999 must not fill the memory.
const MAX_EXPONENT = 1_000;
const MAX_LENGTH = 1_000;

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = 'unable to parse numeric part of quantity';
const WRONG_SUFFIX = "unable to parse quantity's suffix";

/** Parses a quantity, or throws a ParseError in the words of Kubernetes. */
export function parseQuantity(input: string | number): Quantity {
  const result = read(String(input));
  if (typeof result === 'string') throw new ParseError(result);
  return result;
}

/** Parses a quantity, or returns undefined if the text is not one. */
export function tryParseQuantity(input: string | number): Quantity | undefined {
  const result = read(String(input));
  return typeof result === 'string' ? undefined : result;
}

interface Suffix {
  readonly format: QuantityFormat;
  /** Power of ten, or of two for BinarySI. */
  readonly exponent: number;
}

/** Results are memoized because the same few amounts recur. */
const read = memoize(1024, readQuantity);

/** Parses a quantity, or describes the problem with the text. */
function readQuantity(text: string): Quantity | string {
  // Digits are optional because Kubernetes reads "Ki" or "." as zero.
  const match = text.length > MAX_LENGTH ? null : /^([+-]?)([0-9]*)(\.[0-9]*)?([eEinumkKMGTP]*[-+]?[0-9]*)$/.exec(text);
  if (text === '' || match === null) return WRONG_FORMAT;
  const [, sign = '', digits = '', fraction = '', ending = ''] = match;
  const suffix = readSuffix(ending);
  if (suffix === undefined) return WRONG_SUFFIX;
  const parts = {
    negative: sign === '-',
    whole: digits.replace(/^0+/, '') || '0',
    fraction: fraction.slice(1),
    suffix,
  };
  if (isShort(parts)) return build(parts, text);
  return digits + parts.fraction === '' ? WRONG_NUMBER : build(parts);
}

function readSuffix(text: string): Suffix | undefined {
  const decimal = DECIMAL_SUFFIXES.indexOf(text);
  if (decimal >= 0) return { format: 'DecimalSI', exponent: decimal * 3 - 9 };
  const binary = BINARY_SUFFIXES.indexOf(text);
  if (binary >= 0) return { format: 'BinarySI', exponent: binary * 10 };
  if (!/^[eE][-+]?[0-9]+$/.test(text)) return undefined;
  const exponent = Number(text.slice(1));
  return Math.abs(exponent) <= MAX_EXPONENT ? { format: 'DecimalExponent', exponent } : undefined;
}

interface Parts {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: Suffix;
}

/**
 * Reports whether Kubernetes holds the number in 64 bits. Only then does it keep the spelling; otherwise it rounds and
 * caps.
 */
function isShort({ whole, fraction, suffix: { format, exponent } }: Parts): boolean {
  if (format !== 'BinarySI') return whole.length + fraction.length <= 18 && exponent - fraction.length >= -9;
  return fraction === '' && whole.length + (exponent * 3) / 10 <= 14;
}

function build({ negative, whole, fraction, suffix }: Parts, spelling?: string): Quantity {
  const digits = whole + fraction;
  const binary = suffix.format === 'BinarySI';
  const scale = (binary ? 0 : suffix.exponent) - fraction.length;
  const exact = scaleUp(BigInt(digits) * (binary ? 1n << BigInt(suffix.exponent) : 1n), scale + 9);
  const nano = binary && exact > MAX_INT64 * NANO ? MAX_INT64 * NANO : exact;
  const format = binary && nano > 0n && nano < NANO ? 'DecimalSI' : suffix.format;
  const amount = { nano: negative ? -nano : nano, format };
  if (spelling === undefined) return amount;
  const kept = binary ? BigInt(digits) % 8n !== 0n : scale % 3 === 0 && !/^0|000$/.test(digits);
  return kept ? { ...amount, text: spelling } : amount;
}

/** Computes value * 10^scale and rounds fractions up, so that a request for a little never becomes zero. */
function scaleUp(value: bigint, scale: number): bigint {
  return scale >= 0 ? value * powerOfTen(scale) : divideUp(value, powerOfTen(-scale));
}

/** Precomputed powers that nearly all quantities need. */
const POWERS_OF_TEN = Array.from({ length: 28 }, (_, exponent) => 10n ** BigInt(exponent));

function powerOfTen(exponent: number): bigint {
  return POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);
}

/** Divides and rounds away from zero. */
function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (value % divisor === 0n) return quotient;
  return value < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

/** Formats a quantity as the API server does. */
export function formatQuantity(quantity: Quantity): string {
  const { nano, format, text } = quantity;
  if (text !== undefined) return text;
  if (nano === 0n) return '0';
  const whole = nano % NANO === 0n;
  const small = nano > -1024n * NANO && nano < 1024n * NANO;
  if (format === 'BinarySI' && whole && !small) return printScaled(nano / NANO, 1024n, BINARY_SUFFIXES);
  // Kubernetes does not print small or fractional amounts in powers of two, because it would have to round them.
  if (format !== 'DecimalExponent') return printScaled(nano, 1000n, DECIMAL_SUFFIXES);
  const [mantissa, times] = factorOut(nano, 1000n, Number.POSITIVE_INFINITY);
  return times === 3 ? `${mantissa}` : `${mantissa}e${times * 3 - 9}`;
}

function printScaled(value: bigint, base: bigint, suffixes: readonly string[]): string {
  // Beyond the last suffix the number grows instead. Kubernetes drops the suffix there and prints a wrong amount.
  const [mantissa, times] = factorOut(value, base, suffixes.length - 1);
  return `${mantissa}${suffixes[times]}`;
}

/** Divides value by base while it divides evenly, at most `limit` times. */
function factorOut(value: bigint, base: bigint, limit: number): [mantissa: bigint, times: number] {
  let mantissa = value;
  let times = 0;
  while (times < limit && mantissa % base === 0n) {
    mantissa /= base;
    times++;
  }
  return [mantissa, times];
}

/** Converts a whole number of units to a quantity. */
export function quantityOf(units: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { nano: BigInt(units) * NANO, format };
}

/** Converts a whole number of thousandths (millicores) to a quantity. */
export function milliQuantityOf(thousandths: number | bigint): Quantity {
  return { nano: BigInt(thousandths) * 1_000_000n, format: 'DecimalSI' };
}

/** Returns a + b in the format of a, unless a is zero. */
export function add(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: formatOf(a, b) };
}

/** Returns a - b in the format of a, unless a is zero. */
export function sub(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano - b.nano, format: formatOf(a, b) };
}

function formatOf(a: Quantity, b: Quantity): QuantityFormat {
  return a.nano === 0n ? b.format : a.format;
}

/**
 * Returns quantity * factor / divisor, both given exactly as decimal numbers ('1.25', 3). The result rounds away from
 * zero.
 */
export function mul(
  quantity: Quantity,
  factor: string | number | bigint,
  divisor: string | number | bigint = 1,
): Quantity {
  const [by, over] = [fractionOf(factor), fractionOf(divisor)];
  if (over.numerator === 0n) throw new RangeError('a quantity cannot be divided by zero');
  const nano = divideUp(quantity.nano * by.numerator * over.denominator, by.denominator * over.numerator);
  return { nano, format: quantity.format };
}

/** Returns quantity / divisor, rounded away from zero. */
export function div(quantity: Quantity, divisor: string | number | bigint): Quantity {
  return mul(quantity, 1, divisor);
}

function fractionOf(value: string | number | bigint): { numerator: bigint; denominator: bigint } {
  const match = /^([+-]?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/.exec(String(value));
  if (match === null) throw new ParseError(`"${value}" is not a decimal number`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const scale = BigInt(Number(exponent) - fraction.length);
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return scale < 0n
    ? { numerator: digits, denominator: 10n ** -scale }
    : { numerator: digits * 10n ** scale, denominator: 1n };
}

/** Returns a / b as the nearest number. */
export function ratio(a: Quantity, b: Quantity): number {
  if (b.nano === 0n) throw new RangeError('the ratio to zero is undefined');
  return Number(a.nano) / Number(b.nano);
}

/** Returns -1 when a < b, 1 when a > b, and 0 when they are the same amount, regardless of format. */
export function compare(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nano === b.nano) return 0;
  return a.nano < b.nano ? -1 : 1;
}

/** Returns the same amount with the other sign. */
export function negate(quantity: Quantity): Quantity {
  return { nano: -quantity.nano, format: quantity.format };
}

/** Reports whether the amount is zero, regardless of format. */
export function isZero(quantity: Quantity): boolean {
  return quantity.nano === 0n;
}

/** Returns the amount as the nearest number, including fractions. */
export function toNumber(quantity: Quantity): number {
  return Number(`${quantity.nano}e-9`);
}

/** Returns the amount in whole units (bytes or whole cores), rounded away from zero. Exact up to 2^53. */
export function value(quantity: Quantity): number {
  return Number(divideUp(quantity.nano, NANO));
}

/** Returns the amount in thousandths (millicores), rounded away from zero. Exact up to 2^53. */
export function milliValue(quantity: Quantity): number {
  return Number(divideUp(quantity.nano, 1_000_000n));
}
