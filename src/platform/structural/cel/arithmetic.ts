import { EvaluationError } from './values.ts';

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);
const MAX_UINT = 2n ** 64n - 1n;

/** Returns the number after checking that it fits into 64 bits. */
export function int64(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new EvaluationError('integer overflow');
  return value;
}

export function uint64(value: bigint): bigint {
  if (value > MAX_UINT || value < 0n) throw new EvaluationError('unsigned integer overflow');
  return value;
}

export function divide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new EvaluationError('division by zero');
  return a / b;
}

export function modulo(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new EvaluationError('modulus by zero');
  return a % b;
}

/** Converts a double to a whole number, truncated towards zero. */
export function doubleToInt(value: number): bigint {
  const whole = Math.trunc(value);
  if (!(whole < 2 ** 63 && whole > -(2 ** 63))) throw new EvaluationError('integer overflow');
  return BigInt(whole);
}

export function doubleToUint(value: number): bigint {
  const whole = Math.trunc(value);
  if (!(whole < 2 ** 64 && whole >= 0)) throw new EvaluationError('unsigned integer overflow');
  return BigInt(whole);
}

/** Formats a double in Go's shortest format, with an exponent from the seventh digit on. */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
