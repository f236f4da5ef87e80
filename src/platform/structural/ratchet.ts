import { ownValue } from '#platform/base/own-value';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { Cursor, Segment } from './cursor.ts';
import { deepEqual } from './deep-equal.ts';

/**
 * Value together with the one that it replaces. Data that was stored before a schema became stricter may stay: causes
 * about unchanged values are not reported.
 */
export class CorrelatedObject {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: JsonSchema | undefined;
  #unchanged: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: JsonSchema | undefined) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  get unchanged(): boolean {
    this.#unchanged ??= deepEqual(this.value, this.old);
    return this.#unchanged;
  }

  /** Returns the correlated part, or undefined if the old value has no such part, or it cannot be matched. */
  at(segment: Segment): CorrelatedObject | undefined {
    if (typeof segment === 'number') return this.#item(segment);
    const key = typeof segment === 'object' ? segment.key : segment;
    if (!isObject(this.value) || !isObject(this.old) || !Object.hasOwn(this.old, key)) return undefined;
    const { properties, additionalProperties } = this.#schema ?? {};
    const other = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    return new CorrelatedObject(this.value[key], this.old[key], ownValue(properties ?? {}, key) ?? other);
  }

  #item(index: number): CorrelatedObject | undefined {
    const keys = this.#schema?.['x-kubernetes-list-map-keys'];
    if (keys === undefined || !Array.isArray(this.value) || !Array.isArray(this.old)) return undefined;
    const item: unknown = this.value[index];
    const desired = identity(item, keys);
    const before: unknown = this.old.find((each) => identity(each, keys) === desired);
    return before === undefined ? undefined : new CorrelatedObject(item, before, this.#schema?.items);
  }
}

/** Returns the identity of an item in a list. */
export function identity(item: unknown, keys: readonly string[]): string | undefined {
  return isObject(item) ? JSON.stringify(keys.map((key) => ownValue(item, key) ?? null)) : undefined;
}

/**
 * Drops causes about unchanged values. Duplicate items are allowed if the old object had duplicates too, since no
 * single item is to blame.
 */
export function forgiveUnchanged(at: Cursor, root: CorrelatedObject, before: Cursor): void {
  const hadDoubles = before.causes.some(({ type }) => type === 'Duplicate');
  at.keep((cause, place) => (cause.type === 'Duplicate' ? !hadDoubles : !isUnchanged(root, place)));
}

/** Reports whether the subject of a cause, or its nearest parent that the old value has, is unchanged. */
function isUnchanged(root: CorrelatedObject, place: readonly Segment[]): boolean {
  let nearest = root;
  for (const [depth, segment] of place.entries()) {
    // Both objects have been converted to the same version, so these two never differ.
    if (depth === 0 && (segment === 'apiVersion' || segment === 'kind')) return false;
    // A missing field is an error of the object that lacks it.
    if (typeof segment === 'string' && isObject(nearest.value) && ownValue(nearest.value, segment) === undefined) break;
    const next = nearest.at(segment);
    if (next === undefined) break;
    nearest = next;
  }
  return nearest.unchanged;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
