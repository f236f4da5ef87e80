import { formatQuantity, quantityOf, tryParseQuantity, value } from '#platform/base/quantity';

const KIBIBYTE = 1024;

/** Returns an amount of memory as hypersdk.io requires it, a whole number with a binary suffix: 1536Mi for 1.5Gi. */
export function binaryMemory(written: string): string {
  const amount = tryParseQuantity(written);
  if (amount === undefined || /^[0-9]+[KMGT]i$/.test(written)) return written;
  const kibibytes = Math.ceil(value(amount) / KIBIBYTE);
  return formatQuantity(quantityOf(kibibytes * KIBIBYTE, 'BinarySI'));
}
