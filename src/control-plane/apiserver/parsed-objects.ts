import type { KubeObject } from '#platform/kube/kube-object';
import { PartTexts, textOf } from './object-text.ts';
import type { Entry } from './store/store.ts';

/** How many objects a generation has, and of how much text. */
const MAX_OBJECTS = 4096;
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** What is remembered of an entry. */
interface Memo {
  object: KubeObject | undefined;
  /** What was written by this process, as long as somebody else has it, such as a cache. */
  faint: WeakRef<KubeObject> | undefined;
  readonly written: boolean;
  /** The last in which it was asked for. */
  generation: number;
}

/**
 * Parsed objects of stored texts, kept with their entries. Bounded, by generations: what was not asked for in the last
 * one or this one, and nobody else holds either, is parsed again. Nobody may change them.
 */
export class ParsedObjects {
  readonly #parts = new PartTexts();
  #generation = 1;
  #old: Memo[] = [];
  #young: Memo[] = [];
  #weight = 0;

  /** The text of an object that is about to be stored. */
  textOf(object: KubeObject): string {
    const text = textOf(object, this.#parts);
    this.#weight += text.length;
    return text;
  }

  /** Makes ready, in steps, what the text of a large object takes longest for. */
  *prepareText({
    kind: _kind,
    apiVersion: _version,
    metadata,
    status: _replaced,
    ...rest
  }: KubeObject): Generator<void, void, void> {
    for (const { fieldsV1 } of metadata.managedFields ?? []) {
      if (fieldsV1 !== undefined) yield* this.#parts.prepare(fieldsV1);
    }
    for (const part of Object.values(rest)) {
      if (typeof part === 'object' && part !== null) yield* this.#parts.prepare(part);
    }
  }

  /** By which nobody has to parse the text of an object that is about to be stored. */
  memoOf(object: KubeObject): object {
    const memo: Memo = { object, faint: undefined, written: true, generation: 0 };
    this.#add(memo, 0);
    return memo;
  }

  get(entry: Entry): KubeObject {
    const memo = entry.memo as Memo | undefined;
    if (memo?.generation === this.#generation) return memo.object as KubeObject;
    return this.#keep(entry, memo);
  }

  #keep(entry: Entry, known: Memo | undefined): KubeObject {
    const memo = known ?? { object: undefined, faint: undefined, written: false, generation: 0 };
    const object = memo.object ?? memo.faint?.deref() ?? parse(entry);
    entry.memo = memo;
    // It may be let go in there as one of those that nobody has asked for.
    this.#add(memo, entry.value.length);
    memo.object = object;
    return object;
  }

  #add(memo: Memo, weight: number): void {
    if (this.#young.length >= MAX_OBJECTS || this.#weight + weight > MAX_TEXT_BYTES) this.#age();
    memo.generation = this.#generation;
    this.#young.push(memo);
    this.#weight += weight;
  }

  /** Begins a generation, and lets go of what was not asked for since the one before the last. */
  #age(): void {
    for (const memo of this.#old) if (memo.generation !== this.#generation) letGo(memo);
    this.#old = this.#young;
    this.#young = [];
    this.#weight = 0;
    this.#generation += 1;
  }
}

/** Not of what was parsed: a reference to it would keep it until the present job ends, and with it all of a long list. */
function letGo(memo: Memo): void {
  if (memo.written && memo.object !== undefined) memo.faint ??= new WeakRef(memo.object);
  memo.object = undefined;
}

function parse({ value }: Entry): KubeObject {
  return JSON.parse(value) as KubeObject;
}
