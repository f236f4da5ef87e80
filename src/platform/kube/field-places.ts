import { isMap, isScalar, isSeq, LineCounter } from 'yaml';
import type { ManifestDocument } from './manifest.ts';
import { yamlDocuments } from './yaml-json.ts';

export interface FieldPlace {
  readonly line: number;
  readonly column: number;
}

/** Returns the place of a field of an object. `field` is a path as Kubernetes prints it (spec.disks[0].name). */
export type FieldPlaces = (document: Omit<ManifestDocument, 'object'>, field: string) => FieldPlace;

/**
 * Finds where a manifest sets fields. The place of an absent field is that of its parent. The text is parsed at the
 * first request, since most manifests are valid and need no places.
 */
export function fieldPlaces(text: string): FieldPlaces {
  const lines = new LineCounter();
  const place = (offset: number | undefined): FieldPlace => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  let documents: ReadonlyMap<number, Ranged> | undefined;
  const parse = () =>
    new Map(yamlDocuments(text, lines).map(({ contents }) => [place(contents?.range?.[0]).line, contents] as const));
  return ({ line, item }, field) => {
    const contents = (documents ??= parse()).get(line);
    if (contents === undefined) return { line, column: 1 };
    const steps = item === undefined ? stepsOf(field) : ['items', `${item}`, ...stepsOf(field)];
    return place(offsetOf(contents, steps));
  };
}

type Ranged = { readonly range?: readonly number[] | null } | null | undefined;

function offsetOf(contents: Ranged, steps: readonly string[]): number | undefined {
  let found = contents?.range?.[0];
  let node: unknown = contents;
  for (const step of steps) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (pair === undefined) return found;
      found = (pair.key as Ranged)?.range?.[0];
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(step)] as Ranged;
      if (item === undefined) return found;
      found = item?.range?.[0];
      node = item;
    } else return found;
  }
  return found;
}

/** Splits spec.labels[a.b/c].x into spec, labels, a.b/c, x. */
export function stepsOf(field: string): string[] {
  return [...field.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([word, inBrackets]) => inBrackets ?? word);
}
