import type fc from 'fast-check';
import type { Draw } from './draw.ts';

/** Values that a field may or may not have beyond what its schema says. */
export interface Field {
  readonly good: fc.Arbitrary<unknown>;
  /** Values that admission rejects at exactly this field. */
  readonly bad?: readonly unknown[];
}

/** Makes interdependent fields consistent, in place. It prefers adding or changing to deleting. */
type Repair = (value: never, draw: Draw) => void;

/** Object that is being generated. */
export type HintedPart = Record<string, unknown>;

/**
 * Hints that turn a value that matches its schema into one that admission accepts. Keys are suffixes of paths such as
 * `disks[].source.http`, of which the longest match counts; a key with a leading dot is a whole path.
 */
export interface FieldHints {
  readonly fields?: Readonly<Record<string, Field>>;
  readonly repairs?: Readonly<Record<string, Repair>>;
  /** Fields that no valid object has. */
  readonly never?: Readonly<Record<string, true>>;
}

/** Merges hints. If two have the same path suffix, the later one counts. */
export function joinHints(...parts: readonly FieldHints[]): FieldHints {
  return {
    fields: Object.assign({}, ...parts.map(({ fields }) => fields)),
    repairs: Object.assign({}, ...parts.map(({ repairs }) => repairs)),
    never: Object.assign({}, ...parts.map(({ never }) => never)),
  };
}

/** Returns the hint for a path. */
export function hintFor<T>(table: Readonly<Record<string, T>> | undefined, path: string): T | undefined {
  if (table === undefined) return undefined;
  if (Object.hasOwn(table, `.${path}`)) return table[`.${path}`];
  for (let rest = path; ; ) {
    if (Object.hasOwn(table, rest)) return table[rest];
    const dot = rest.indexOf('.');
    if (dot < 0) return undefined;
    rest = rest.slice(dot + 1);
  }
}

/** Returns a repair that keeps only the first present one of mutually exclusive fields. */
export function atMostOne(...names: readonly string[]): (part: HintedPart) => void {
  return (part) => {
    const [, ...others] = Object.keys(part).filter((name) => names.includes(name));
    for (const name of others) delete part[name];
  };
}

/**
 * Returns a repair that keeps only the first present one of mutually exclusive fields, or adds the given one if there
 * is none.
 */
export function exactlyOne(names: readonly string[], otherwise: Readonly<HintedPart>): (part: HintedPart) => void {
  const alone = atMostOne(...names);
  return (part) => {
    alone(part);
    if (!names.some((name) => part[name] !== undefined)) Object.assign(part, structuredClone(otherwise));
  };
}

/** Returns a repair for fields that require each other: if one of them is present, all are. */
export function together(
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): (part: HintedPart, draw: Draw) => void {
  return (part, draw) => {
    if (!Object.keys(fields).some((name) => part[name] !== undefined)) return;
    for (const [name, arbitrary] of Object.entries(fields)) part[name] ??= draw.of(arbitrary);
  };
}
