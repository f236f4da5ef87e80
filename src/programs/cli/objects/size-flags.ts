import { InvalidArgumentError } from 'commander';
import { explainBytes, intendedBytes, isTooFewBytes } from '#platform/base/intended-bytes';
import { type Quantity, tryParseQuantity } from '#platform/base/quantity';

/** Disk as `name=size` or `name=size:class`. */
export interface DiskFlag {
  readonly name: string;
  readonly size: string;
  readonly storageClass?: string;
}

export interface ChecksumFlag {
  readonly type: 'md5' | 'sha256' | 'sha512';
  readonly value: string;
}

/** Parses a count of at least one. */
export function wholeNumber(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

/** Parses a count that may be zero. */
export function wholeOrNone(text: string): number {
  if (/^0+$/.test(text)) return 0;
  return wholeNumber(text);
}

/** Parses an amount of memory. A number without a suffix is never meant in bytes, unless it is large. */
export function memoryFlag(text: string): string {
  assertBytes(text, 'memory');
  return text;
}

/** Parses an amount of memory to compare with. */
export function memoryQuantityFlag(text: string): Quantity {
  return assertBytes(text, 'memory');
}

const EXAMPLES = { memory: '512Mi or 8Gi', disk: '20Gi' };

/** Rejects what is no plausible amount of memory or disk, and suggests what is probably meant. */
function assertBytes(text: string, what: 'memory' | 'disk'): Quantity {
  const amount = tryParseQuantity(text);
  if (amount !== undefined && !isTooFewBytes(amount)) return amount;
  const intended = intendedBytes(text, what);
  const [problem, remedy] =
    amount === undefined
      ? [`It must be a quantity such as ${EXAMPLES[what]}`, intended === undefined ? '' : `: try ${intended}`]
      : ['It must be at least 1M', after(': ', explainBytes(text, what))];
  throw new InvalidArgumentError(withPeriod(`${problem}${remedy}`));
}

const after = (separator: string, text: string) => (text === '' ? '' : `${separator}${text}`);
const withPeriod = (text: string) => (text.endsWith('?') ? text : `${text}.`);

/** Parses a disk, and appends it to those of earlier occurrences of the flag. */
export function diskFlag(text: string, before: readonly DiskFlag[] = []): DiskFlag[] {
  const found = /^(?<name>[^=]+)=(?<size>[^:]+)(?::(?<storageClass>.+))?$/.exec(text)?.groups;
  if (found === undefined) {
    const sized = tryParseQuantity(text) === undefined ? '' : ` Did you mean root=${text}?`;
    throw new InvalidArgumentError(`It must be name=size or name=size:class, for example root=50Gi:fast-ssd.${sized}`);
  }
  const { name = '', size = '', storageClass } = found;
  assertBytes(size, 'disk');
  return [...before, { name, size, ...(storageClass === undefined ? {} : { storageClass }) }];
}

export function checksumFlag(text: string): ChecksumFlag {
  const [, type, value = ''] = /^(md5|sha256|sha512):([0-9a-fA-F]+)$/.exec(text) ?? [];
  if (type === undefined) throw new InvalidArgumentError('It must be md5:, sha256: or sha512: followed by the digest.');
  return { type: type as ChecksumFlag['type'], value };
}

/** Parses a label, and adds it to those of earlier occurrences of the flag. */
export function labelFlag(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('It must be key=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Builds the disks of a VM. Returns undefined if none was named. */
export function disksOf(
  disks: readonly DiskFlag[] | undefined,
): { -readonly [K in keyof DiskFlag]: DiskFlag[K] }[] | undefined {
  return disks === undefined || disks.length === 0 ? undefined : disks.map((disk) => ({ ...disk }));
}
