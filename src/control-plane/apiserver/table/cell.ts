import { humanDuration } from '#platform/base/duration';
import { formatQuantity, tryParseQuantity } from '#platform/base/quantity';
import { type LabelSelectorSpec, labelSelectorOf } from '#platform/kube/selectors/label-selector';

/** Value of one table cell. */
export type Cell = string | number | boolean | null;

/**
 * Returns the cells of one object. Every field may be missing, since a bookmark is an object with only a resource
 * version.
 */
export type Row<T extends Listed = Listed> = (object: T, now: number) => Cell[];

/** Fields that the rows of all kinds read. */
export interface Listed {
  readonly metadata?: {
    readonly name?: string;
    readonly creationTimestamp?: string | null;
    readonly deletionTimestamp?: string | null;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
}

export interface ListedContainer {
  readonly name?: string;
  readonly image?: string;
}

export interface ListedPodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly containers?: readonly ListedContainer[] | null;
    readonly nodeSelector?: Readonly<Record<string, string>>;
  };
}

export const nameOf = (object: Listed): string => object.metadata?.name ?? '';

/** Returns the age of an object. */
export const ageOf = (object: Listed, now: number): string => since(object.metadata?.creationTimestamp, now);

/** Formats the time since a moment, with kubectl's precision. */
export function since(time: string | null | undefined, now: number): string {
  if (time === null || time === undefined || time === '') return '<unknown>';
  return humanDuration(now - Date.parse(time));
}

/** Formats labels, sorted by name. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.keys(labels ?? {}).sort();
  return entries.length === 0 ? '<none>' : entries.map((key) => `${key}=${labels?.[key]}`).join(',');
}

/** Formats a selector, or returns `invalid` for an invalid one. */
export function formatSelector(selector: LabelSelectorSpec | undefined, invalid = '<error>', empty = '<none>'): string {
  try {
    return labelSelectorOf(selector).toString() || empty;
  } catch {
    return invalid;
  }
}

/** Returns one cell with the names and one with the images of containers. */
export function containerCells(containers: readonly ListedContainer[] | null | undefined): [string, string] {
  if (!containers) return ['', ''];
  if (containers.length === 1) return [containers[0]?.name ?? '', containers[0]?.image ?? ''];
  return [containers.map(({ name = '' }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

/** Formats a quantity in its shortest form. A missing one counts as 0. */
export function formatQuantityCell(quantity: string | number | undefined): string {
  if (quantity === undefined) return '0';
  const parsed = tryParseQuantity(quantity);
  return parsed === undefined ? String(quantity) : formatQuantity(parsed);
}

/** Returns the first few items, with the number of the others. */
export function firstFew(all: readonly string[], max: number, empty: string): string {
  if (all.length > max) return `${all.slice(0, max).join(',')} + ${all.length - max} more...`;
  return all.join(',') || empty;
}
