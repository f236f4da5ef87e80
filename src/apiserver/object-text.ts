import type { KubeObject } from '../kube/kube-object.ts';
import type { Entry } from './store/store.ts';

/**
 * Objects are stored as JSON text that begins with kind and apiVersion, so that an answer can be put together from
 * texts without parsing any of them.
 */
export function textOf(object: KubeObject): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  return JSON.stringify({ kind, apiVersion, metadata, ...rest });
}

/** What every text of a kind begins with; items of a typed list leave it out. */
export function headerOf(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

const GENERATION_SIZE = 4096;

/** Parsed objects of stored texts. Bounded: what was not asked for lately is parsed again. Nobody may change them. */
export class ParsedObjects {
  #young = new Map<Entry, KubeObject>();
  #old = new Map<Entry, KubeObject>();
  /** Objects whose texts are on their way into the store. */
  #written = new Map<string, KubeObject>();

  /** Says what a text that is about to be stored is the text of, so that nobody has to parse it. */
  write(text: string, object: KubeObject): void {
    if (this.#written.size >= GENERATION_SIZE) this.#written = new Map();
    this.#written.set(text, object);
  }

  get(entry: Entry): KubeObject {
    const known = this.#young.get(entry);
    if (known !== undefined) return known;
    const object = this.#old.get(entry) ?? this.#taken(entry.value) ?? (JSON.parse(entry.value) as KubeObject);
    if (this.#young.size >= GENERATION_SIZE) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(entry, object);
    return object;
  }

  #taken(text: string): KubeObject | undefined {
    if (this.#written.size === 0) return undefined;
    const object = this.#written.get(text);
    if (object !== undefined) this.#written.delete(text);
    return object;
  }
}
