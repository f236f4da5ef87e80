import { jsonInSteps } from '#platform/base/json-steps';
import type { KubeObject } from '#platform/kube/kube-object';
import { GenerationalCache } from './generational-cache.ts';

/**
 * Formats an object as JSON text that begins with kind and apiVersion, so that responses can be built from texts
 * without parsing them. The text is built from those of its parts, because a write changes few of them; `parts` caches
 * recent ones.
 */
export function textOf(object: KubeObject, parts?: PartTexts): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  if (parts === undefined || metadata === undefined) return JSON.stringify({ kind, apiVersion, metadata, ...rest });
  let text = `${headerOf(kind, apiVersion)}"metadata":${formatMetadata(metadata, parts)}`;
  for (const name of Object.keys(rest)) {
    const value = rest[name];
    if (value === undefined) continue;
    // A status is soon replaced, so caching its text would only evict others.
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

/** Prefix of every text of a kind. Items of a typed list omit it. */
export function headerOf(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

const MAX_PARTS = 16_384;

/**
 * Caches the texts of parts of objects, such as a spec that stays the same while the status changes. It is bounded and
 * keyed by identity.
 */
export class PartTexts {
  readonly #recent = new GenerationalCache<object, string>(MAX_PARTS);

  /** Returns the text of a part that is never modified again. */
  of(part: object): string {
    return this.#recent.young(part) ?? this.#keep(part, this.#recent.old(part) ?? JSON.stringify(part));
  }

  /** Formats a large part in steps, so that its text is cached when it is needed. */
  *prepare(part: object): Generator<void, void, void> {
    if (this.#recent.young(part) === undefined) this.#keep(part, this.#recent.old(part) ?? (yield* jsonInSteps(part)));
  }

  /** Returns the text of a part whose members are often cached. */
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
