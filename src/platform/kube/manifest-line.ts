import { isMap, isScalar, isSeq, LineCounter } from 'yaml';
import { type YamlDocument, yamlDocuments } from './yaml-json.ts';

/**
 * Returns the line of a manifest that sets a field, or of its parent if the field is absent. `field` is a path as
 * Kubernetes prints it (spec.disks[0].name), and `line` the first line of the object.
 */
export function fieldLine(text: string, line: number, field: string): number {
  const lines = new LineCounter();
  const at = (offset: number | undefined) => Math.max(1, lines.linePos(offset ?? 0).line);
  const document = yamlDocuments(text, lines).find(({ contents }) => at(contents?.range?.[0]) === line);
  return document === undefined ? line : lineIn(document, stepsOf(field), at, line);
}

function lineIn(
  { contents }: YamlDocument,
  steps: readonly string[],
  at: (offset: number | undefined) => number,
  start: number,
): number {
  let found = start;
  let node: unknown = contents;
  for (const step of steps) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (pair === undefined) return found;
      found = at((pair.key as { range?: readonly number[] }).range?.[0]);
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(step)] as { range?: readonly number[] } | undefined;
      if (item === undefined) return found;
      found = at(item.range?.[0]);
      node = item;
    } else return found;
  }
  return found;
}

/** Splits spec.labels[a.b/c].x into spec, labels, a.b/c, x. */
function stepsOf(field: string): string[] {
  return [...field.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([word, inBrackets]) => inBrackets ?? word);
}
