import type { HintedPart } from './field-hints.ts';

/** Location of a value in an object. */
export interface Place {
  readonly value: unknown;
  replace(value: unknown): void;
}

/**
 * Returns the first location that a schema path such as `spec.disks[].name` leads to, or undefined if there is none.
 */
export function placeAt(object: unknown, path: string): Place | undefined {
  const [head = '', ...rest] = path.split(/\.|(?=\[\])/);
  const holder = object as HintedPart | unknown[] | null;
  if (typeof holder !== 'object' || holder === null) return undefined;
  if (head === '[]') {
    if (!Array.isArray(holder)) return undefined;
    if (rest.length === 0) return placeOf(holder as unknown as HintedPart, '0');
    for (const item of holder) {
      const found = placeAt(item, rest.join('.'));
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!Object.hasOwn(holder, head)) return undefined;
  return rest.length === 0
    ? placeOf(holder as HintedPart, head)
    : placeAt((holder as HintedPart)[head], rest.join('.'));
}

function placeOf(holder: HintedPart, key: string): Place {
  return {
    value: holder[key],
    replace: (value) => {
      holder[key] = value;
    },
  };
}
