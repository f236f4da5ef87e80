import type { Steps } from '#platform/base/steps';
import type { FieldPlace } from './read-plan.ts';

/** Maximum number of reported fields, as in the API server. */
const MAX_UNKNOWN = 100;

/** Maximum depth, beyond that of any real object but low enough not to exhaust the stack. */
const MAX_DEPTH = 500;

/** Reads an object of a message. It is passed in from `decode`, because types with custom JSON contain messages too. */
export type ReadMessage = (value: unknown, message: string, walk: DecodeWalk) => unknown;

/** Underlying kind of a Go type, whatever its name. */
export type GoKind = 'string' | 'bool' | 'int32' | 'int64' | 'float64' | 'slice' | 'map' | 'struct';

/** A finding with its rank in the text, by which findings of postponed parts are sorted. */
interface Finding {
  readonly rank: number;
  readonly text: string;
}

/** Tracks the position in a body and the findings: unknown fields, and the first value of a wrong type. */
export class DecodeWalk {
  #unknown: Finding[] = [];
  /** Number of unknown fields reported in the current part. */
  #told = 0;
  #mismatch: Finding | undefined;
  #refusal: Finding | undefined;
  #places: (FieldPlace | string | number)[] = [];
  readonly #postponed: { readonly places: (FieldPlace | string | number)[]; readonly read: Steps<void> }[] = [];
  #finishes = false;
  #rank = 0;
  readonly #readMessage: ReadMessage;
  /** True if the body was assembled from parts, which Go reads differently and with other messages than text. */
  readonly #converts: boolean;
  #quiet = false;

  constructor(readMessage: ReadMessage, converts = false) {
    this.#readMessage = readMessage;
    this.#converts = converts;
  }

  enterField(place: FieldPlace): void {
    this.#places.push(place);
  }

  /** Enters an item of a list or an entry of a map, which is not part of Go's field path. */
  enterItem(segment: string | number): void {
    this.#places.push(segment);
  }

  leave(): void {
    this.#places.pop();
  }

  get tooDeep(): boolean {
    return this.#places.length > MAX_DEPTH;
  }

  /** Reports whether long parts may be postponed here. */
  get postpones(): boolean {
    return !this.#quiet && !this.#finishes;
  }

  /** Postpones reading a long part. Its findings are then sorted as if it had been read here. */
  postpone(read: Steps<void>): void {
    this.#postponed.push({ places: [...this.#places], read });
    this.#rank++;
  }

  /** Reports whether any part was postponed. */
  get isUnfinished(): boolean {
    return this.#postponed.length > 0;
  }

  /** Reads the postponed parts. */
  *finish(): Steps<void> {
    this.#finishes = true;
    for (const [i, { places, read }] of this.#postponed.entries()) {
      this.#rank = i + 0.5;
      this.#told = 0;
      this.#places = places;
      yield;
      yield* read;
    }
  }

  /** Paths of the unknown fields. */
  get unknown(): readonly string[] {
    if (this.#unknown.length === 0) return [];
    const inOrder = this.#unknown.toSorted((a, b) => a.rank - b.rank);
    return inOrder.slice(0, MAX_UNKNOWN).map(({ text }) => text);
  }

  /** Reports a field that the structure here does not have. */
  unknownField(name: string): void {
    if (this.#quiet || this.#told++ >= MAX_UNKNOWN) return;
    this.#unknown.push({ rank: this.#rank, text: this.#pathTo(name) });
  }

  #pathTo(name: string): string {
    let path = '';
    for (const place of [...this.#places, name]) {
      const segment = typeof place === 'object' ? place.name : place;
      if (typeof segment === 'number') path += `[${segment}]`;
      else path += path === '' ? segment : `.${segment}`;
    }
    return path;
  }

  /** Error of the body: Go stops at the first error of a custom type, but continues after a value of the wrong type. */
  get error(): string | undefined {
    return (this.#refusal ?? this.#mismatch)?.text;
  }

  /** Reports an error of a value, of which only the first counts. The value then reads as undefined. */
  fail(error: string): undefined {
    // A value that is read quietly belongs to a type with custom JSON.
    if (this.#quiet) return this.refuse(error);
    this.#mismatch = this.#first(this.#mismatch, error);
    return undefined;
  }

  /** Reports an error of a type with custom JSON. */
  refuse(error: string): undefined {
    this.#refusal = this.#first(this.#refusal, error);
    return undefined;
  }

  #first(known: Finding | undefined, text: string): Finding {
    return known !== undefined && known.rank <= this.#rank ? known : { rank: this.#rank, text };
  }

  /** Reports that a value does not have the type that Go expects here. */
  mismatch(value: unknown, goType: string, kind: GoKind): undefined {
    return this.fail(this.#converts ? formatConversion(value, goType, kind) : this.#mismatchText(value, goType));
  }

  /** Reports that a text is not base64. */
  failBytes(problem: string): undefined {
    return this.fail(this.#converts ? `error decoding from json: ${problem}` : problem);
  }

  /** Reports a type mismatch inside a type with custom JSON. */
  refuseType(value: unknown, goType: string): undefined {
    return this.refuse(this.#mismatchText(value, goType));
  }

  #mismatchText(value: unknown, goType: string): string {
    // A converted value is read by itself, so its position is unknown.
    const fields = this.#converts ? [] : this.#places.filter((place) => typeof place === 'object');
    const target =
      fields.length === 0
        ? `Go value of type ${goType}`
        : `Go struct field ${fields.at(-1)?.struct}.${fields.map(({ goPath }) => goPath).join('.')} of type ${goType}`;
    return `json: cannot unmarshal ${valueName(value, goType)} into ${target}`;
  }

  /** Reads a message without reporting its unknown fields. */
  quietly(value: unknown, message: string): unknown {
    const before = this.#quiet;
    this.#quiet = true;
    const read = this.#readMessage(value, message, this);
    this.#quiet = before;
    return read;
  }
}

/** Returns Go's name for a JSON value, with the digits of a number that does not fit. */
function valueName(value: unknown, goType: string): string {
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return /^u?int\d*$/.test(goType) ? `number ${value}` : 'number';
    case 'string':
      return 'string';
    default:
      return 'object';
  }
}

/** Returns why a value cannot be converted, in the words of Go's converter. */
function formatConversion(value: unknown, goType: string, kind: GoKind): string {
  const from = kindOf(value);
  if (kind === 'slice' || kind === 'map') return `cannot restore ${kind} from ${from}`;
  if (kind === 'struct') return `cannot restore struct from: ${from}`;
  // For these kinds Go first considers a conversion (rune to string, or truncation) and then rejects it.
  const thinksOfIt = kind === 'string' ? from === 'int64' : kind !== 'bool' && typeof value === 'number';
  return thinksOfIt ? `cannot convert ${from} to ${goType}` : `unrecognized type: ${kind}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map';
}
