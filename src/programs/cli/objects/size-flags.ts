import { InvalidArgumentError } from 'commander';
import { parseQuantity, type Quantity } from '#platform/base/quantity';

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

export function quantityFlag(text: string): Quantity {
  try {
    return parseQuantity(text);
  } catch {
    throw new InvalidArgumentError('It must be a quantity such as 512Mi or 8Gi.');
  }
}

/** Parses a disk, and appends it to those of earlier occurrences of the flag. */
export function diskFlag(text: string, before: readonly DiskFlag[] = []): DiskFlag[] {
  const found = /^(?<name>[^=]+)=(?<size>[^:]+)(?::(?<storageClass>.+))?$/.exec(text)?.groups;
  if (found === undefined)
    throw new InvalidArgumentError('It must be name=size or name=size:class, for example root=50Gi:fast-ssd.');
  const { name = '', size = '', storageClass } = found;
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
