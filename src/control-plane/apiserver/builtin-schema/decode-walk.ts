import type { Steps } from '#platform/base/steps';
import type { FieldPlace } from './read-plan.ts';

/** More than these are not told, as by the API server. */
const MAX_UNKNOWN = 100;

/** Deeper than any real object, and not so deep that reading it would exhaust the stack. */
const DEEPEST = 500;

/** Reads an object of a message; `decode` does, and is handed in because types that read their own JSON nest messages too. */
export type ReadMessage = (value: unknown, message: string, walk: DecodeWalk) => unknown;

/** What a type of Go is in the end, whatever it is called. */
export type GoKind = 'string' | 'bool' | 'int32' | 'int64' | 'float64' | 'slice' | 'map' | 'struct';

/** What was found, and at which place of the text: what is read later stands before what follows it there. */
interface Finding {
  readonly rank: number;
  readonly text: string;
}

/** Where the reading of a body stands, and what it has found: fields nobody knows, and the first value of a wrong type. */
export class DecodeWalk {
  #unknown: Finding[] = [];
  /** Fields that were told since the reading of this part began. */
  #told = 0;
  #mismatch: Finding | undefined;
  #refusal: Finding | undefined;
  #places: (FieldPlace | string | number)[] = [];
  readonly #postponed: { readonly places: (FieldPlace | string | number)[]; readonly read: Steps<void> }[] = [];
  #finishes = false;
  #rank = 0;
  readonly #readMessage: ReadMessage;
  /** Whether the body was put together from parts, which Go reads in another way and with other words than a text. */
  readonly #converts: boolean;
  #quiet = false;

  constructor(readMessage: ReadMessage, converts = false) {
    this.#readMessage = readMessage;
    this.#converts = converts;
  }

  enterField(place: FieldPlace): void {
    this.#places.push(place);
  }

  /** Goes to an item of a list or an entry of a map, which Go does not count as a step. */
  enterItem(segment: string | number): void {
    this.#places.push(segment);
  }

  leave(): void {
    this.#places.pop();
  }

  get tooDeep(): boolean {
    return this.#places.length > DEEPEST;
  }

  /** Whether what is long here may be read later. */
  get postpones(): boolean {
    return !this.#quiet && !this.#finishes;
  }

  /** Leaves what is long for later. What is wrong with it is then told as if it had been read here. */
  postpone(read: Steps<void>): void {
    this.#postponed.push({ places: [...this.#places], read });
    this.#rank++;
  }

  /** Whether anything was left for later. */
  get isUnfinished(): boolean {
    return this.#postponed.length > 0;
  }

  /** Reads what was left for later. */
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

  /** The paths of fields that nobody knows. */
  get unknown(): readonly string[] {
    if (this.#unknown.length === 0) return [];
    const inOrder = this.#unknown.toSorted((a, b) => a.rank - b.rank);
    return inOrder.slice(0, MAX_UNKNOWN).map(({ text }) => text);
  }

  /** Tells of a field that the structure here does not have. */
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

  /** Why the body cannot be read: Go stops at the first refusal of a type, but reads on after a value of the wrong type. */
  get error(): string | undefined {
    return (this.#refusal ?? this.#mismatch)?.text;
  }

  /** Tells what is wrong with a value; only the first counts. The value then reads as nothing. */
  fail(error: string): undefined {
    // What is read quietly is read by a type for itself.
    if (this.#quiet) return this.refuse(error);
    this.#mismatch = this.#first(this.#mismatch, error);
    return undefined;
  }

  /** Tells that a type which reads its own JSON does not take this. */
  refuse(error: string): undefined {
    this.#refusal = this.#first(this.#refusal, error);
    return undefined;
  }

  #first(known: Finding | undefined, text: string): Finding {
    return known !== undefined && known.rank <= this.#rank ? known : { rank: this.#rank, text };
  }

  /** Tells that a value has not the type that Go wants here. */
  mismatch(value: unknown, goType: string, kind: GoKind): undefined {
    return this.fail(this.#converts ? formatConversion(value, goType, kind) : this.#mismatchText(value, goType));
  }

  /** Tells that a text does not stand for bytes. */
  failBytes(problem: string): undefined {
    return this.fail(this.#converts ? `error decoding from json: ${problem}` : problem);
  }

  /** Tells the same of a value inside a type which reads its own JSON. */
  refuseType(value: unknown, goType: string): undefined {
    return this.refuse(this.#mismatchText(value, goType));
  }

  #mismatchText(value: unknown, goType: string): string {
    // What is converted is read by itself, so that nothing is known of where it stands.
    const fields = this.#converts ? [] : this.#places.filter((place) => typeof place === 'object');
    const target =
      fields.length === 0
        ? `Go value of type ${goType}`
        : `Go struct field ${fields.at(-1)?.struct}.${fields.map(({ goPath }) => goPath).join('.')} of type ${goType}`;
    return `json: cannot unmarshal ${valueName(value, goType)} into ${target}`;
  }

  /** Reads a message that tells nobody what it has too much. */
  quietly(value: unknown, message: string): unknown {
    const before = this.#quiet;
    this.#quiet = true;
    const read = this.#readMessage(value, message, this);
    this.#quiet = before;
    return read;
  }
}

/** The name that Go has for a JSON value; a number that does not fit is spelled out. */
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

/** Why a value cannot be converted, in the words of Go's converter. */
function formatConversion(value: unknown, goType: string, kind: GoKind): string {
  const from = kindOf(value);
  if (kind === 'slice' || kind === 'map') return `cannot restore ${kind} from ${from}`;
  if (kind === 'struct') return `cannot restore struct from: ${from}`;
  // Go takes the number of a character for a text, and cuts off what follows the point, before it thinks better of it.
  const thinksOfIt = kind === 'string' ? from === 'int64' : kind !== 'bool' && typeof value === 'number';
  return thinksOfIt ? `cannot convert ${from} to ${goType}` : `unrecognized type: ${kind}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map';
}
