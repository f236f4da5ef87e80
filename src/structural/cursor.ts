import type { FieldError } from '../base/field-error.ts';

/** More causes than this tell nobody anything, and a large bad object could otherwise produce hundreds of thousands. */
const MOST_CAUSES = 500;

/** Where a walk through an object stands, and what it has found so far; the path becomes text only when something is wrong. */
export class Cursor {
  readonly causes: FieldError[] = [];
  readonly #segments: (string | number)[] = [];

  /** A second cursor at the same place with nothing reported yet. */
  static at(other: Cursor): Cursor {
    const cursor = new Cursor();
    for (const segment of other.#segments) cursor.enter(segment);
    return cursor;
  }

  enter(segment: string | number): void {
    this.#segments.push(segment);
  }

  leave(): void {
    this.#segments.pop();
  }

  /** The path as Kubernetes prints it: `spec.disks[0].name`. */
  path(): string {
    let text = '';
    for (const segment of this.#segments) {
      if (typeof segment === 'number') text += `[${segment}]`;
      else text += text === '' ? segment : `.${segment}`;
    }
    return text;
  }

  get full(): boolean {
    return this.causes.length >= MOST_CAUSES;
  }

  report(cause: FieldError): void {
    if (!this.full) this.causes.push(cause);
  }
}
