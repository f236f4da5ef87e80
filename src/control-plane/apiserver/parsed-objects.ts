import { GenerationalCache } from '#platform/base/generational-cache';
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
  readonly #memos = new GenerationalCache<Memo, Memo>({
    maxEntries: MAX_OBJECTS,
    maxWeight: MAX_TEXT_BYTES,
    onEvict: weakenReference,
  });

  /** Returns the text of an object that is about to be stored. */
  textOf(object: KubeObject, prepared?: PreparedTexts): string {
    const text = textOf(object, prepared ?? this.#parts);
    this.#memos.addWeight(text.length);
    return text;
  }

  /** Formats, in steps, the most expensive parts of the text of a large object. */
  *prepareText({ kind: _kind, apiVersion: _version, metadata, status: _replaced, ...rest }: KubeObject) {
    const prepared = new PreparedTexts(this.#parts);
    const { managedFields = [], ...others } = metadata;
    for (const { fieldsV1 } of managedFields) {
      if (fieldsV1 !== undefined) yield* prepared.prepare(fieldsV1);
    }
    for (const part of [...Object.values(others), ...Object.values(rest)]) {
      if (typeof part === 'object' && part !== null) yield* prepared.prepare(part);
    }
    return prepared;
  }

  /** Returns a memo that saves parsing the text of an object that is about to be stored. */
  memoOf(object: KubeObject): object {
    const memo: Memo = { object, faint: undefined, written: true, generation: 0 };
    this.#use(memo);
    return memo;
  }

  get(entry: Entry): KubeObject {
    const memo = entry.memo as Memo | undefined;
    if (memo?.generation === this.#memos.generation) return memo.object as KubeObject;
    return this.#keep(entry, memo);
  }

  #keep(entry: Entry, known: Memo | undefined): KubeObject {
    const memo = known ?? { object: undefined, faint: undefined, written: false, generation: 0 };
    const object = memo.object ?? memo.faint?.deref() ?? parse(entry);
    entry.memo = memo;
    memo.object = object;
    this.#memos.addWeight(entry.value.length);
    this.#use(memo);
    return object;
  }

  #use(memo: Memo): void {
    this.#memos.set(memo, memo);
    memo.generation = this.#memos.generation;
  }
}

/**
 * Evicts a memo. Creates no WeakRef to a parsed object: that would keep it alive until the current job ends, and with
 * it all of a long list.
 */
function weakenReference(memo: Memo): void {
  if (memo.written && memo.object !== undefined) memo.faint ??= new WeakRef(memo.object);
  memo.object = undefined;
}

function parse({ value }: Entry): KubeObject {
  return JSON.parse(value) as KubeObject;
}
