import type fc from 'fast-check';
import type { Draw } from './draw.ts';

/** What a field may hold beyond what its schema says, and what it may not although the schema would let it pass. */
export interface Field {
  readonly good: fc.Arbitrary<unknown>;
  /** Values that admission refuses at exactly this field. */
  readonly bad?: readonly unknown[];
}

/** Makes fields that depend on each other agree, in place; it rather adds or changes than takes away. */
type Repair = (value: never, draw: Draw) => void;

/** An object in the making. */
export type HintedPart = Record<string, unknown>;

/**
 * What turns a value that is valid by its schema into one that admission accepts. Keys are the ends of paths such as
 * `disks[].source.http`, the longest that fits counts; a key with a dot in front is a whole path.
 */
export interface FieldHints {
  readonly fields?: Readonly<Record<string, Field>>;
  readonly repairs?: Readonly<Record<string, Repair>>;
  /** Fields that no valid object has. */
  readonly never?: Readonly<Record<string, true>>;
}

/** Several pieces of knowledge as one; of two that speak of the same end of a path the later counts. */
export function joinHints(...parts: readonly FieldHints[]): FieldHints {
  return {
    fields: Object.assign({}, ...parts.map(({ fields }) => fields)),
    repairs: Object.assign({}, ...parts.map(({ repairs }) => repairs)),
    never: Object.assign({}, ...parts.map(({ never }) => never)),
  };
}

/** What is known of a path. */
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

/** Of fields that exclude each other the first that is there stays. */
export function atMostOne(...names: readonly string[]): (part: HintedPart) => void {
  return (part) => {
    const [, ...others] = Object.keys(part).filter((name) => names.includes(name));
    for (const name of others) delete part[name];
  };
}

/** Of fields that exclude each other the first that is there stays; where there is none, it is the given one. */
export function exactlyOne(names: readonly string[], otherwise: Readonly<HintedPart>): (part: HintedPart) => void {
  const alone = atMostOne(...names);
  return (part) => {
    alone(part);
    if (!names.some((name) => part[name] !== undefined)) Object.assign(part, structuredClone(otherwise));
  };
}

/** Fields that make sense only together: where one of them is there, all are. */
export function together(
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): (part: HintedPart, draw: Draw) => void {
  return (part, draw) => {
    if (!Object.keys(fields).some((name) => part[name] !== undefined)) return;
    for (const [name, arbitrary] of Object.entries(fields)) part[name] ??= draw.of(arbitrary);
  };
}
