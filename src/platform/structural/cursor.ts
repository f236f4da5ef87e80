import type { FieldError } from '#platform/base/field-error';

/** More causes than this tell nobody anything, and a large bad object could otherwise produce hundreds of thousands. */
export const MAX_CAUSES = 500;

/** A field by name, an item by index, or an entry of a map by key. */
export type Segment = string | number | { readonly key: string };

/** Where a walk through an object stands, and what it has found so far; the path becomes text only when something is wrong. */
export class Cursor {
  readonly causes: FieldError[] = [];
  /** Where the walk stood at each of the causes. */
  readonly #places: (readonly Segment[])[] = [];
  readonly #segments: Segment[] = [];

  /** A second cursor at the same place with nothing reported yet. */
  static at(other: Cursor): Cursor {
    const cursor = new Cursor();
    for (const segment of other.#segments) cursor.enter(segment);
    return cursor;
  }

  enter(segment: Segment): void {
    this.#segments.push(segment);
  }

  leave(): void {
    this.#segments.pop();
  }

  /** The path as Kubernetes prints it: `spec.disks[0].name`, `metadata.labels[a/b]`. */
  path(): string {
    let text = '';
    for (const segment of this.#segments) {
      if (typeof segment === 'object') text += `[${segment.key}]`;
      else if (typeof segment === 'number') text += `[${segment}]`;
      else text += text === '' ? segment : `.${segment}`;
    }
    return text;
  }

  get full(): boolean {
    return this.causes.length >= MAX_CAUSES;
  }

  report(cause: FieldError): void {
    if (this.full) return;
    this.causes.push(cause);
    this.#places.push([...this.#segments]);
  }

  /** Takes back all causes but those that a test picks by the cause and the place where the walk stood. */
  keep(picks: (cause: FieldError, place: readonly Segment[]) => boolean): void {
    const found = this.causes.splice(0);
    const places = this.#places.splice(0);
    for (const [i, cause] of found.entries()) {
      const place = places[i] ?? [];
      if (!picks(cause, place)) continue;
      this.causes.push(cause);
      this.#places.push(place);
    }
  }
}
