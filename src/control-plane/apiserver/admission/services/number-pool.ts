import type { Random } from '#platform/base/random';

/**
 * Allocates numbers of a range, each to one owner. Dynamic allocation starts with the upper part, so that the lower
 * part stays free for explicit requests.
 */
export class NumberPool {
  readonly #size: number;
  readonly #reserved: number;
  readonly #random: Random;
  readonly #owners = new Map<number, string>();

  constructor(size: number, reserved: number, random: Random) {
    this.#size = size;
    this.#reserved = Math.min(reserved, size - 1);
    this.#random = random;
  }

  has(number: number): boolean {
    return number >= 0 && number < this.#size;
  }

  ownerOf(number: number): string | undefined {
    return this.#owners.get(number);
  }

  take(number: number, owner: string): void {
    this.#owners.set(number, owner);
  }

  /** Releases a number, unless it has another owner by now. */
  release(number: number, owner: string): void {
    if (this.#owners.get(number) === owner) this.#owners.delete(number);
  }

  /** Returns a free number, undefined if there is none. */
  pick(): number | undefined {
    return this.#pickIn(this.#reserved, this.#size) ?? this.#pickIn(0, this.#reserved);
  }

  #pickIn(from: number, end: number): number | undefined {
    const count = end - from;
    if (count <= 0) return undefined;
    const start = this.#random.int(0, count - 1);
    for (let i = 0; i < count; i++) {
      const number = from + ((start + i) % count);
      if (!this.#owners.has(number)) return number;
    }
    return undefined;
  }
}
