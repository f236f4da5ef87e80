import type { KubeObject } from '#platform/kube/kube-object';
import { PartTexts, PreparedTexts, textOf } from './object-text.ts';
import type { Entry } from './store/store.ts';

/** Maximum number of objects in a generation, and maximum length of their text. */
const MAX_OBJECTS = 4096;
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** Holds the cached state of an entry. */
interface Memo {
  object: KubeObject | undefined;
  /** Object written by this process, as long as something else references it, such as a cache. */
  faint: WeakRef<KubeObject> | undefined;
  readonly written: boolean;
  /** Last generation in which the entry was requested. */
  generation: number;
}

/**
 * Caches the parsed objects of stored texts with their entries. It is bounded by generations: an object that was
 * requested in neither of the last two, and is not referenced elsewhere, is parsed again. The objects must not be
 * modified.
 */
export class ParsedObjects {
  readonly #parts = new PartTexts();
  #generation = 1;
  #old: Memo[] = [];
  #young: Memo[] = [];
  #weight = 0;

  /** Returns the text of an object that is about to be stored. */
  textOf(object: KubeObject, prepared?: PreparedTexts): string {
    const text = textOf(object, prepared ?? this.#parts);
    this.#weight += text.length;
    return text;
  }

  /** Formats, in steps, the most expensive parts of the text of a large object. */
  *prepareText({ kind: _kind, apiVersion: _version, metadata, status: _replaced, ...rest }: KubeObject) {
    const prepared = new PreparedTexts(this.#parts);
    for (const { fieldsV1 } of metadata.managedFields ?? []) {
      if (fieldsV1 !== undefined) yield* prepared.prepare(fieldsV1);
    }
    for (const part of Object.values(rest)) {
      if (typeof part === 'object' && part !== null) yield* prepared.prepare(part);
    }
    return prepared;
  }

  /** Returns a memo that saves parsing the text of an object that is about to be stored. */
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
    // The memo may be evicted in there as one that was not requested.
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

  /** Starts a generation, and evicts entries not requested since the one before the last. */
  #age(): void {
    for (const memo of this.#old) if (memo.generation !== this.#generation) letGo(memo);
    this.#old = this.#young;
    this.#young = [];
    this.#weight = 0;
    this.#generation += 1;
  }
}

/**
 * Evicts a memo. Creates no WeakRef to a parsed object: that would keep it alive until the current job ends, and with
 * it all of a long list.
 */
function letGo(memo: Memo): void {
  if (memo.written && memo.object !== undefined) memo.faint ??= new WeakRef(memo.object);
  memo.object = undefined;
}

function parse({ value }: Entry): KubeObject {
  return JSON.parse(value) as KubeObject;
}
