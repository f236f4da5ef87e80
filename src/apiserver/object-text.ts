import type { KubeObject } from '../kube/kube-object.ts';
import type { Entry } from './store/store.ts';

/**
 * Objects are stored as JSON text that begins with kind and apiVersion, so that an answer can be put together from
 * texts without parsing any of them. The text is itself put together from those of its parts, of which a write changes
 * few: `parts` finds again what it has seen lately.
 */
export function textOf(object: KubeObject, parts?: PartTexts): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  if (parts === undefined || metadata === undefined) return JSON.stringify({ kind, apiVersion, metadata, ...rest });
  let text = `${headerOf(kind, apiVersion)}"metadata":${metadataText(metadata, parts)}`;
  for (const name of Object.keys(rest)) {
    const value = rest[name];
    if (value === undefined) continue;
    text += `,${JSON.stringify(name)}:${typeof value === 'object' && value !== null ? parts.of(value) : JSON.stringify(value)}`;
  }
  return `${text}}`;
}

function metadataText(metadata: KubeObject['metadata'], parts: PartTexts): string {
  const { managedFields, ...rest } = metadata;
  const text = JSON.stringify(rest);
  if (managedFields === undefined) return text;
  const entries = managedFields.map(({ fieldsV1, ...entry }) => {
    const named = JSON.stringify(entry);
    return fieldsV1 === undefined ? named : `${named.slice(0, -1)},"fieldsV1":${parts.of(fieldsV1)}}`;
  });
  return `${text.slice(0, -1)},"managedFields":[${entries.join(',')}]}`;
}

/** What every text of a kind begins with; items of a typed list leave it out. */
export function headerOf(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

const GENERATION_SIZE = 4096;

/** The texts of parts of objects, such as a spec that stays as it is while the status changes. Bounded, by identity. */
export class PartTexts {
  #young = new Map<object, string>();
  #old = new Map<object, string>();

  /** Of a part that nobody changes any more. */
  of(part: object): string {
    const known = this.#young.get(part);
    if (known !== undefined) return known;
    const text = this.#old.get(part) ?? JSON.stringify(part);
    if (this.#young.size >= GENERATION_SIZE) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(part, text);
    return text;
  }
}

/** Parsed objects of stored texts. Bounded: what was not asked for lately is parsed again. Nobody may change them. */
export class ParsedObjects {
  #young = new Map<Entry, KubeObject>();
  #old = new Map<Entry, KubeObject>();
  /** Objects whose texts are on their way into the store, by the key of each. */
  #written = new Map<string, { readonly object: KubeObject; readonly text: string }>();
  readonly #parts = new PartTexts();

  /** The text of an object that is about to be stored under a key, and that nobody then has to parse. */
  write(key: string, object: KubeObject): string {
    const text = textOf(object, this.#parts);
    if (this.#written.size >= GENERATION_SIZE) this.#written = new Map();
    this.#written.set(key, { object, text });
    return text;
  }

  get(entry: Entry): KubeObject {
    const known = this.#young.get(entry);
    if (known !== undefined) return known;
    const object = this.#old.get(entry) ?? this.#taken(entry) ?? (JSON.parse(entry.value) as KubeObject);
    if (this.#young.size >= GENERATION_SIZE) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(entry, object);
    return object;
  }

  #taken({ key, value }: Entry): KubeObject | undefined {
    const written = this.#written.get(key);
    // A write that came to nothing, or that another followed, is not what is stored.
    if (written === undefined || written.text !== value) return undefined;
    this.#written.delete(key);
    return written.object;
  }
}
