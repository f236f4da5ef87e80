import {
  type Document,
  isScalar,
  LineCounter,
  parseAllDocuments,
  type ScalarTag,
  type Tags,
  visit,
  type YAMLMap,
} from 'yaml';
import { append } from '#platform/base/append';
import { ParseError } from '#platform/base/errors';

/** Limits far beyond anything that a person writes. Input that exceeds them is a mistake or an attack. */
const MAX_DEPTH = 500;
const MAX_ALIASES = 100;
const MAX_MARKS = 500_000;
/** The product is limited because each alias is searched in the whole text. */
const MAX_ALIASES_TIMES_MARKS = 50_000_000;

export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

export type YamlDocument = Document.Parsed;

/** Key that occurs twice in one map, and the position of its second occurrence. */
export interface DuplicateKey {
  readonly key: string;
  readonly offset: number;
}

/**
 * Splits a text into its documents as Kubernetes reads YAML: version 1.1, without anything that JSON cannot express.
 */
export function yamlDocuments(text: string, lineCounter = new LineCounter()): readonly YamlDocument[] {
  const marks = countMarks(text);
  if (marks > MAX_MARKS) throw new ParseError(`has more than ${MAX_MARKS} marks: write it as JSON`);
  if (marks * countAliases(text) > MAX_ALIASES_TIMES_MARKS) throw new ParseError('has too many aliases for its size');
  try {
    const parsed = parseAllDocuments(text, {
      version: '1.1',
      customTags: asKubectlReads,
      lineCounter,
      prettyErrors: false,
      // uniqueKeys would compare every key with every other. duplicateKeys does it in one pass.
      uniqueKeys: false,
      logLevel: 'error',
    });
    return 'empty' in parsed ? [] : parsed;
  } catch (error) {
    throw new ParseError(yamlProblem(error), { cause: error });
  }
}

/** Returns the value of a document without errors. Throws a ParseError if JSON cannot hold it. */
export function jsonOf(document: YamlDocument): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    heightOf(value, 0, new Map());
    return value;
  } catch (error) {
    throw error instanceof ParseError ? error : new ParseError(yamlProblem(error), { cause: error });
  }
}

/** Returns the keys that occur twice in a map. The last occurrence counts. */
export function duplicateKeys(document: YamlDocument): DuplicateKey[] {
  const found: DuplicateKey[] = [];
  visit(document, { Map: (_key, map) => append(found, duplicatesIn(map)) });
  return found;
}

function duplicatesIn({ items }: YAMLMap): DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const seen = new Set<string>();
  for (const { key } of items) {
    if (!isScalar(key) || key.source === '<<') continue;
    const name = String(key.value);
    if (seen.has(name)) found.push({ key: name, offset: key.range?.[0] ?? 0 });
    seen.add(name);
  }
  return found;
}

/**
 * Reads the first document of a text as a JSON value, or null if there is none. Throws a ParseError if it is malformed.
 */
export function readYaml(text: string): { readonly value: unknown; readonly duplicates: readonly string[] } {
  const lines = new LineCounter();
  const [document] = yamlDocuments(text, lines);
  if (document === undefined) return { value: null, duplicates: [] };
  const [error] = document.errors;
  if (error !== undefined) throw new ParseError(`line ${lines.linePos(error.pos[0]).line}: ${yamlProblem(error)}`);
  const value = jsonOf(document);
  const duplicates = duplicateKeys(document).map(
    ({ key, offset }) => `line ${lines.linePos(offset).line}: key ${JSON.stringify(key)} already set in map`,
  );
  return { value, duplicates };
}

/** Describes the problem of a text in one line. */
export function yamlProblem(error: unknown): string {
  const { message } = error as Error;
  return /call stack|stack overflow/i.test(message) ? TOO_DEEP : (message.split('\n')[0] ?? message);
}

/** Counts the characters that may begin a token. Parsing takes far more time for each of them than for plain text. */
function countMarks(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (MARKS.has(text.charCodeAt(i))) count++;
  return count;
}

function countAliases(text: string): number {
  let count = 0;
  for (const _alias of text.matchAll(/(?<=^|[\s,:[{])\*[^\s,\]}]/g)) count++;
  return count;
}

const MARKS = new Set([...'\n,:-[]{}&*!?'].map((mark) => mark.charCodeAt(0)));

/**
 * Returns the number of levels of a value. An alias that recurs is measured once, and one that contains itself is
 * endless and so too deep.
 */
function heightOf(value: unknown, depth: number, known: Map<object, number>): number {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new ParseError(`contains ${value}, which is not a JSON number`);
  }
  if (typeof value !== 'object' || value === null) return 0;
  let height = known.get(value);
  if (depth + (height ?? 0) > MAX_DEPTH) throw new ParseError(TOO_DEEP);
  if (height !== undefined) return height;
  height = 0;
  for (const part of Object.values(value)) height = Math.max(height, 1 + heightOf(part, depth + 1, known));
  known.set(value, height);
  return height;
}

const INTEGER = 'tag:yaml.org,2002:int';

/** YAML 1.1 types that JSON cannot express. kubectl leaves a date, a time or 52:54:00:12:34:56 as text. */
const NOT_OF_JSON = new Set(['timestamp', 'binary', 'omap', 'pairs', 'set'].map((name) => `tag:yaml.org,2002:${name}`));

function asKubectlReads(tags: Tags): Tags {
  const kept = tags.filter((tag) => typeof tag === 'string' || (!NOT_OF_JSON.has(tag.tag) && tag.format !== 'TIME'));
  return [
    ...kept.map(withDigits).map(withExactValue),
    octal,
    { tag: 'tag:yaml.org,2002:binary', resolve: decodeBinary },
  ];
}

/**
 * Requires digits before the exponent of a number. YAML 1.1 reads `e1` as a number, but Kubernetes reads it as text.
 */
function withDigits(tag: Tags[number]): Tags[number] {
  if (typeof tag === 'string' || tag.format !== 'EXP') return tag;
  return { ...(tag as ScalarTag), test: /^[-+]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)[eE][-+]?\d+$/ };
}

/**
 * Reads octal numbers of YAML 1.1 (017) and 1.2 (0o17), as Kubernetes does. Kubernetes does not treat more than 64 bits
 * as a number.
 */
const octal: ScalarTag = {
  tag: INTEGER,
  default: true,
  format: 'OCT',
  test: /^[-+]?0[oO][0-7_]+$/,
  resolve(text) {
    const digits = text.replaceAll('_', '').replace(/^[-+]/, '').toLowerCase();
    const value = Number(digits);
    if (Number.isNaN(value) || BigInt(digits) >= 2n ** 64n) return text;
    return text.startsWith('-') ? -value : value;
  },
};

/** Rejects integers that a double would change, because Kubernetes stores integers of 64 bits. */
function withExactValue(tag: Tags[number]): Tags[number] {
  if (typeof tag === 'string' || tag.tag !== INTEGER || tag.format !== undefined) return tag;
  const read = tag as ScalarTag;
  const exactly: ScalarTag = {
    ...read,
    resolve(text, onError, options) {
      const value = read.resolve(text, onError, options);
      // A number of any length is only compared if 64 bits may hold it.
      if (Number.isSafeInteger(value) || Math.abs(value as number) > 2 ** 63) return value;
      const exact = BigInt(text.replaceAll('_', '').replace(/^\+/, ''));
      if (BigInt.asIntN(64, exact) === exact && String(value) !== String(exact)) {
        onError(
          `cannot keep all digits of ${text}: integers are exact up to ${Number.MAX_SAFE_INTEGER}; quote it to make it a string`,
        );
      }
      return value;
    },
  };
  return exactly;
}

function decodeBinary(base64: string, onError: (message: string) => void): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    onError('!!binary must be followed by base64');
    return base64;
  }
}
