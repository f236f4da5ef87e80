import type { KubeObject } from '../kube/kube-object.ts';
import { Recent } from './recent.ts';
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
    // A status is written to be replaced: keeping its text would only drive out others.
    const kept = name !== 'status' && typeof value === 'object' && value !== null;
    text += `,${JSON.stringify(name)}:${kept ? parts.of(value) : JSON.stringify(value)}`;
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

const MOST_PARTS = 16_384;

/** The texts of parts of objects, such as a spec that stays as it is while the status changes. Bounded, by identity. */
export class PartTexts {
  readonly #recent = new Recent<object, string>(MOST_PARTS);

  /** Of a part that nobody changes any more. */
  of(part: object): string {
    const known = this.#recent.young(part);
    if (known !== undefined) return known;
    const text = this.#recent.old(part) ?? JSON.stringify(part);
    this.#recent.keep(part, text, text.length);
    return text;
  }
}

/**
 * Parsed objects of stored texts. Bounded: what was not asked for lately, and nobody else holds either, is parsed again.
 * Nobody may change them.
 */
export class ParsedObjects {
  readonly #recent = new Recent<Entry, KubeObject>();
  /**
   * What was written by this process, as long as somebody has it, such as a cache. Not what was parsed: a reference to it
   * would keep it until the present job ends, and with it all of a long list.
   */
  readonly #made = new WeakMap<Entry, WeakRef<KubeObject>>();
  /** Objects whose texts are on their way into the store, by the key of each. */
  readonly #written = new Recent<string, { readonly object: KubeObject; readonly text: string }>();
  readonly #parts = new PartTexts();

  /** The text of an object that is about to be stored under a key, and that nobody then has to parse. */
  write(key: string, object: KubeObject): string {
    const text = textOf(object, this.#parts);
    this.#written.keep(key, { object, text }, text.length);
    return text;
  }

  get(entry: Entry): KubeObject {
    const known = this.#recent.young(entry);
    if (known !== undefined) return known;
    const object = this.#recent.old(entry) ?? this.#made.get(entry)?.deref() ?? this.#taken(entry) ?? parse(entry);
    this.#recent.keep(entry, object, entry.value.length);
    return object;
  }

  #taken(entry: Entry): KubeObject | undefined {
    const { key, value } = entry;
    const written = this.#written.young(key) ?? this.#written.old(key);
    // A write that came to nothing, or that another followed, is not what is stored.
    if (written === undefined || written.text !== value) return undefined;
    this.#written.forget(key);
    this.#made.set(entry, new WeakRef(written.object));
    return written.object;
  }
}

function parse({ value }: Entry): KubeObject {
  return JSON.parse(value) as KubeObject;
}
