import { compare, parseQuantity, type Quantity, tryParseQuantity } from './quantity.ts';

/** Less than this is never meant as memory or as a disk: KubeVirt requires as much of a memory request. */
const MIN_BYTES = parseQuantity('1M');

/** Suffixes as people write them, without case and without B or iB, and those that Kubernetes has for them. */
const SUFFIXES: Readonly<Record<string, string>> = { k: 'Ki', m: 'Mi', g: 'Gi', t: 'Ti' };

/** A plain number of memory below this is meant in GiB, and otherwise in MiB. */
const FEW = 128;

/** Reports whether an amount of memory or disk is so small that its unit must be a mistake. */
export function isTooFewBytes(amount: Quantity): boolean {
  return compare(amount, MIN_BYTES) < 0;
}

/**
 * Returns the amount that the writer of a mistaken one probably means: 8Gi for 8, 4Gi for 4GB, 512Mi for 512m. Returns
 * undefined if there is no telling.
 */
export function intendedBytes(written: string | number, what: 'memory' | 'disk'): string | undefined {
  // An amount with a proper suffix is meant as it is, however small.
  if (/^[0-9.]+(?:k|[KMGTPE]i?)$/.test(`${written}`) && tryParseQuantity(written) !== undefined) return undefined;
  const [, number = '', unit = ''] =
    /^([0-9]+(?:\.[0-9]+)?) *([kmgt]?)(?:i?b|i|bytes?)?$/i.exec(`${written}`.trim()) ?? [];
  const suffix = SUFFIXES[unit.toLowerCase()] ?? (what === 'disk' || Number(number) < FEW ? 'Gi' : 'Mi');
  const text = `${number}${suffix}`;
  const amount = number === '' ? undefined : tryParseQuantity(text);
  return amount === undefined || isTooFewBytes(amount) ? undefined : text;
}

/** Explains an amount that is too small or malformed: 8 is 8 bytes; did you mean 8Gi? */
export function explainBytes(written: string | number, what: 'memory' | 'disk'): string {
  const intended = intendedBytes(written, what);
  const bytes = /^[0-9]+$/.test(`${written}`)
    ? `${written} without a suffix is ${written} ${Number(written) === 1 ? 'byte' : 'bytes'}`
    : '';
  const thousandths = /^[0-9.]+m$/.test(`${written}`) ? 'm means thousandths of a byte' : '';
  const question = intended === undefined ? '' : `did you mean ${intended}?`;
  return [bytes, thousandths, question].filter((part) => part !== '').join('; ');
}
