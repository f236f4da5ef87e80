import { jsonInSteps } from '#platform/base/json-steps';
import type { KubeObject } from '#platform/kube/kube-object';
import { GenerationalCache } from './generational-cache.ts';

/**
 * Objects are stored as JSON text that begins with kind and apiVersion, so that an answer can be put together from
 * texts without parsing any of them. The text is itself put together from those of its parts, of which a write changes
 * few: `parts` finds again what it has seen lately.
 */
export function textOf(object: KubeObject, parts?: PartTexts): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  if (parts === undefined || metadata === undefined) return JSON.stringify({ kind, apiVersion, metadata, ...rest });
  let text = `${headerOf(kind, apiVersion)}"metadata":${formatMetadata(metadata, parts)}`;
  for (const name of Object.keys(rest)) {
    const value = rest[name];
    if (value === undefined) continue;
    // A status is written to be replaced: keeping its text would only drive out others.
    const kept = name !== 'status' && typeof value === 'object' && value !== null;
    text += `,${JSON.stringify(name)}:${kept ? parts.of(value) : JSON.stringify(value)}`;
  }
  return `${text}}`;
}

function formatMetadata(metadata: KubeObject['metadata'], parts: PartTexts): string {
  const { managedFields, ...rest } = metadata;
  const text = JSON.stringify(rest);
  if (managedFields === undefined) return text;
  const entries = managedFields.map(({ fieldsV1, ...entry }) => {
    const named = JSON.stringify(entry);
    return fieldsV1 === undefined ? named : `${named.slice(0, -1)},"fieldsV1":${parts.ofMembers(fieldsV1)}}`;
  });
  return `${text.slice(0, -1)},"managedFields":[${entries.join(',')}]}`;
}

/** What every text of a kind begins with; items of a typed list leave it out. */
export function headerOf(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

const MAX_PARTS = 16_384;

/** The texts of parts of objects, such as a spec that stays as it is while the status changes. Bounded, by identity. */
export class PartTexts {
  readonly #recent = new GenerationalCache<object, string>(MAX_PARTS);

  /** Of a part that nobody changes any more. */
  of(part: object): string {
    return this.#recent.young(part) ?? this.#keep(part, this.#recent.old(part) ?? JSON.stringify(part));
  }

  /** Makes the text of a large part in steps, so that it is known when it is asked for. */
  *prepare(part: object): Generator<void, void, void> {
    if (this.#recent.young(part) === undefined) this.#keep(part, this.#recent.old(part) ?? (yield* jsonInSteps(part)));
  }

  /** The same of one that is often made of members that are known. */
  ofMembers(part: Readonly<Record<string, unknown>>): string {
    return this.#recent.young(part) ?? this.#keep(part, this.#recent.old(part) ?? this.#joined(part));
  }

  #joined(part: Readonly<Record<string, unknown>>): string {
    let text = '';
    for (const name of Object.keys(part)) {
      const member = part[name];
      const known = typeof member === 'object' && member !== null ? this.of(member) : JSON.stringify(member);
      text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${known}`;
    }
    return text === '' ? '{}' : `${text}}`;
  }

  #keep(part: object, text: string): string {
    this.#recent.keep(part, text, text.length);
    return text;
  }
}
