import { GenerationalCache } from '#platform/base/generational-cache';
import { jsonInSteps } from '#platform/base/json-steps';
import type { Steps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';

/** Returns the text of a part of an object that is never modified again. */
interface PartFormatter {
  of(part: object): string;
  /** Returns the text of a part whose members are often cached. */
  ofMembers(part: Readonly<Record<string, unknown>>): string;
  /** Returns the text of a part that no other write shares, so that it is not cached. */
  ofUnique(part: Readonly<Record<string, unknown>>): string;
}

/**
 * Formats an object as JSON text that begins with kind and apiVersion, so that responses can be built from texts
 * without parsing them. The text is built from those of its parts, because a write changes few of them; `parts` caches
 * recent ones.
 */
export function textOf(object: KubeObject, parts?: PartFormatter): string {
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

function formatMetadata(metadata: KubeObject['metadata'], parts: PartFormatter): string {
  const { managedFields, ...rest } = metadata;
  const text = parts.ofUnique(rest);
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
const MAX_WEIGHT = 16 * 1024 * 1024;
/** Memory of a part and its text relative to the length of the text. */
const BYTES_OF_TEXT = 3;

/**
 * Caches the texts of parts of objects, such as a spec that stays the same while the status changes. It is bounded and
 * keyed by identity.
 */
export class PartTexts implements PartFormatter {
  readonly #recent = new GenerationalCache<object, string>({
    maxEntries: MAX_PARTS,
    maxWeight: MAX_WEIGHT,
    weightOf: (text) => BYTES_OF_TEXT * text.length,
  });

  of(part: object): string {
    return this.#recent.get(part) ?? this.#keep(part, JSON.stringify(part));
  }

  /** Formats a large part in steps. */
  *prepare(part: object): Steps<string> {
    return this.#recent.get(part) ?? this.#keep(part, yield* jsonInSteps(part));
  }

  ofMembers(part: Readonly<Record<string, unknown>>): string {
    return (
      this.#recent.get(part) ??
      this.#keep(
        part,
        joinedMembers(part, (member) => this.of(member)),
      )
    );
  }

  ofUnique(part: Readonly<Record<string, unknown>>): string {
    return JSON.stringify(part);
  }

  #keep(part: object, text: string): string {
    this.#recent.set(part, text);
    return text;
  }
}

/** Formats an object from the texts of its members. As in JSON.stringify, undefined members are left out. */
function joinedMembers(part: Readonly<Record<string, unknown>>, ofMember: (member: object) => string): string {
  let text = '';
  for (const name of Object.keys(part)) {
    const member = part[name];
    if (member === undefined) continue;
    const known = typeof member === 'object' && member !== null ? ofMember(member) : JSON.stringify(member);
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${known}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/**
 * Texts of the large parts of one object, formatted before the whole text is needed. They are not only cached, because
 * a few large objects of other requests would evict them meanwhile.
 */
export class PreparedTexts implements PartFormatter {
  readonly #prepared = new Map<object, string>();
  readonly #others: PartTexts;

  constructor(others: PartTexts) {
    this.#others = others;
  }

  *prepare(part: object): Steps<void> {
    this.#prepared.set(part, yield* this.#others.prepare(part));
  }

  of(part: object): string {
    return this.#prepared.get(part) ?? this.#others.of(part);
  }

  ofMembers(part: Readonly<Record<string, unknown>>): string {
    return this.#prepared.get(part) ?? this.#others.ofMembers(part);
  }

  ofUnique(part: Readonly<Record<string, unknown>>): string {
    return joinedMembers(part, (member) => this.#prepared.get(member) ?? JSON.stringify(member));
  }
}
