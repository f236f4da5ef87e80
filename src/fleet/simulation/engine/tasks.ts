import { parseDuration } from '#platform/base/duration';
import type { Random } from '#platform/base/random';
import { draw, gap } from './draw.ts';
import type { TaskGenerator } from './scenario-spec.ts';

const GIB = 2 ** 30;

/** Task that causes load for a while. */
export interface Task {
  readonly number: number;
  readonly at: number;
  readonly endsAt: number;
  readonly cores: number;
  readonly bytes: number;
}

/** Generates the tasks of one generator in order of arrival. The same random source gives the same tasks. */
export class TaskSource {
  readonly generator: TaskGenerator;
  readonly #random: Random;
  readonly #until: number;
  #next: number;
  #count = 0;

  constructor(generator: TaskGenerator, random: Random, end: number) {
    this.generator = generator;
    this.#random = random;
    this.#until = generator.until === undefined ? end : parseDuration(generator.until);
    this.#next = parseDuration(generator.from) + gap(generator.arrivals, random);
  }

  /** Returns the number of tasks so far. */
  get count(): number {
    return this.#count;
  }

  /** Yields the tasks that have arrived by a time, each once. */
  *take(time: number): Generator<Task> {
    const { arrivals, cpu, memoryGi, lifetimeSeconds } = this.generator;
    while (this.#next <= time && this.#next < this.#until) {
      const at = this.#next;
      const [cores, bytes] = [draw(cpu, this.#random), draw(memoryGi, this.#random) * GIB];
      const endsAt = at + draw(lifetimeSeconds, this.#random) * 1000;
      this.#next = at + gap(arrivals, this.#random);
      yield { number: ++this.#count, at, endsAt, cores, bytes };
    }
  }
}
