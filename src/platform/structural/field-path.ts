import { ownValue } from '#platform/base/own-value';
import type { JsonSchema } from '#platform/schema/json-schema';

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};
const STEP = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;

/**
 * Parses the fieldPath of a rule (.spec.disk, .labels['a/b']) and formats it like the paths of causes. Fields must be
 * in the schema; returns undefined if the path leads nowhere.
 */
export function readFieldPath(path: string, schema: JsonSchema): string | undefined {
  let at = 0;
  let text = '';
  let place: JsonSchema | undefined = schema;
  while (at < path.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(path);
    if (match === null || place === undefined) return undefined;
    const name: string | undefined = match[1] ?? unescapeName(match[2] ?? '');
    if (name === undefined) return undefined;
    if (place.properties !== undefined) {
      place = ownValue(place.properties, name);
      if (place === undefined) return undefined;
      text += `.${name}`;
    } else if (typeof place.additionalProperties === 'object') {
      place = place.additionalProperties;
      text += `[${name}]`;
    } else return undefined;
    at += match[0].length;
  }
  return text;
}

function unescapeName(text: string): string | undefined {
  let valid = true;
  const name = text.replaceAll(/\\(.)/g, (_, char: string) => {
    const plain = ESCAPES[char];
    if (plain === undefined) valid = false;
    return plain ?? '';
  });
  return valid ? name : undefined;
}
