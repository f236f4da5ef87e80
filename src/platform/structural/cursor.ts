import type { FieldError } from '#platform/base/field-error';

/** Maximum number of causes. More are of no use, and a large invalid object could produce hundreds of thousands. */
export const MAX_CAUSES = 500;

/** Field by name, item by index, or map entry by key. */
export type Segment = string | number | { readonly key: string };

/**
 * Position of a walk through an object, with its findings so far. The path is formatted only when there is a problem.
 */
export class Cursor {
  readonly causes: FieldError[] = [];
  /** Position of the walk at each of the causes. */
  readonly #places: (readonly Segment[])[] = [];
  readonly #segments: Segment[] = [];

  /** Creates a second cursor at the same position without causes. */
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

  /** Formats the path as Kubernetes prints it: `spec.disks[0].name`, `metadata.labels[a/b]`. */
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

  /** Drops all causes but those that a test picks by the cause and its position. */
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
