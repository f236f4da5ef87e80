import type { Random } from '#platform/base/random';

/**
 * Gives out numbers of a range, each to one owner. Numbers nobody asked for by name come from the upper part first, so
 * that those who choose one from the lower part find it free.
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

  /** Gives a number back, unless it has become somebody else's. */
  release(number: number, owner: string): void {
    if (this.#owners.get(number) === owner) this.#owners.delete(number);
  }

  /** A free number; undefined where there is none. */
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
