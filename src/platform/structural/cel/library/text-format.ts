import { encodeUtf8, toHex } from '#platform/base/bytes';
import { formatDouble } from '../arithmetic.ts';
import { formatCelDuration, formatTimestamp } from '../time.ts';
import { Type } from '../types.ts';
import { typeOfValue } from '../value-type.ts';
import {
  Duration,
  EvaluationError,
  List,
  Mapping,
  Opaque,
  Optional,
  type StepCounter,
  Timestamp,
  Uint,
  type Value,
} from '../values.ts';
import { fixedPoint, scientific } from './number-format.ts';
import { quote } from './quote.ts';

/** Placeholder in a template that an argument fills. */
interface Clause {
  readonly verb: string;
  readonly precision: number | undefined;
}

const CLAUSE = /%(?:%|(?:\.([0-9]*))?([^]?))/g;
const VERBS = 'sdfebxXo';
const MAX_PRECISION = 1000;
/** Number of steps charged for printing one item. */
const SHOWN = 10;

/** Splits a template into text and clauses. Throws on a malformed clause. */
export function* readTemplate(template: string): Generator<string | Clause> {
  let end = 0;
  for (const match of template.matchAll(CLAUSE)) {
    yield template.slice(end, match.index);
    end = match.index + match[0].length;
    yield match[0] === '%%' ? '%' : readClause(match[1], match[2] ?? '');
  }
  yield template.slice(end);
}

function readClause(digits: string | undefined, verb: string): Clause {
  if (verb === '') throw new EvaluationError('unexpected end of string');
  const problem = 'could not parse formatting clause:';
  if (digits === '') {
    const cause = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
    throw new EvaluationError(`${problem} error while parsing precision: ${cause}`);
  }
  if (!VERBS.includes(verb)) throw new EvaluationError(`${problem} unrecognized formatting clause "${verb}"`);
  const precision = digits === undefined ? undefined : Number(digits);
  if (precision !== undefined && precision > MAX_PRECISION) {
    throw new EvaluationError(`precision ${precision} exceeds the maximum allowed (${MAX_PRECISION})`);
  }
  return { verb, precision };
}

/** Formats a template: %s anything, %d whole numbers, %f %e fractions, %b %o %x %X other bases. */
export function formatText(template: string, args: List, counter: StepCounter): string {
  let next = 0;
  let text = '';
  for (const part of readTemplate(template)) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    if (next >= args.size) throw new EvaluationError(`index ${next} out of range`);
    const filled = formatClause(part, args.at(next++), counter);
    counter.counter(filled.length / 4);
    text += filled;
  }
  return text;
}

function formatClause({ verb, precision = 6 }: Clause, value: Value, counter: StepCounter): string {
  const complaint = formatTypeProblem(verb, typeOfValue(value));
  if (complaint !== undefined) throw new EvaluationError(complaint);
  switch (verb) {
    case 's':
      return typeof value === 'string' ? value : show(value, counter);
    case 'f':
      return typeof value === 'number' ? fixedPoint(value, precision, true) : show(value, counter);
    case 'e':
      return typeof value === 'number' ? scientific(value) : show(value, counter);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : inBase(value, 2);
    case 'o':
      return inBase(value, 8);
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    default:
      return show(value, counter);
  }
}

const ANYTHING =
  'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';

/** Types that each verb accepts, and the message for all others. */
const TAKES: Readonly<Record<string, readonly [kinds: readonly string[], rule: string]>> = {
  d: [['int', 'uint'], 'decimal clause can only be used on integers'],
  f: [['double', 'string'], 'fixed-point clause can only be used on doubles'],
  e: [['double', 'string'], 'scientific clause can only be used on doubles'],
  b: [['int', 'uint', 'bool'], 'only integers and bools can be formatted as binary'],
  o: [['int', 'uint'], 'octal clause can only be used on integers'],
  x: [['int', 'uint', 'string', 'bytes'], 'only integers, byte buffers, and strings can be formatted as hex'],
  X: [['int', 'uint', 'string', 'bytes'], 'only integers, byte buffers, and strings can be formatted as hex'],
};

/** Returns why a value of a type cannot fill a clause, or undefined if it can or if only the value decides. */
export function formatTypeProblem(verb: string, type: Type): string | undefined {
  if (type.isDyn || type.kind === 'param') return undefined;
  const [kinds, rule] = TAKES[verb] ?? [undefined, ANYTHING];
  const fits = kinds === undefined ? type.kind !== 'opaque' : kinds.includes(type.kind);
  return fits ? undefined : `error during formatting: ${rule}, was given ${type.name}`;
}

function inBase(value: Value, base: number): string {
  return (value instanceof Uint ? value.value : (value as bigint)).toString(base);
}

function hexadecimal(value: Value): string {
  if (typeof value === 'string') return toHex(encodeUtf8(value));
  if (value instanceof Uint8Array) return toHex(value);
  return inBase(value, 16);
}

/** Formats a value as %s prints it at the top level. */
function show(value: Value, counter: StepCounter): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatDouble(value);
  if (value instanceof Timestamp) return formatTimestamp(value.ns);
  if (value instanceof Duration) return formatCelDuration(value.ns);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  return showInside(value, counter);
}

/** Formats a value inside a list or map, so that its type is recognizable. */
function showInside(value: Value, counter: StepCounter): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return fixedPoint(value, 6, false);
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Uint) return value.value.toString();
  if (value instanceof Timestamp) return `timestamp(${quote(formatTimestamp(value.ns))})`;
  if (value instanceof Duration) return `duration(${quote(formatCelDuration(value.ns))})`;
  if (value instanceof Uint8Array) return `b${quote(new TextDecoder().decode(value))}`;
  if (value instanceof Type) return value.name;
  if (value instanceof List) return showList(value, counter);
  if (value instanceof Mapping) return showMapping(value, counter);
  if (value instanceof Optional || value instanceof Opaque)
    throw new EvaluationError(formatTypeProblem('s', typeOfValue(value)));
  return '';
}

function showList(list: List, counter: StepCounter): string {
  counter.counter(list.size * SHOWN);
  return `[${Array.from({ length: list.size }, (_, i) => showInside(list.at(i), counter)).join(', ')}]`;
}

function showMapping(map: Mapping, counter: StepCounter): string {
  counter.counter(map.size * SHOWN);
  const entries: string[] = [];
  for (const key of map.keys())
    entries.push(`${showInside(key, counter)}:${showInside(map.get(key) ?? null, counter)}`);
  return `{${entries.sort().join(', ')}}`;
}
