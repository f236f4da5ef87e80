import { MachineStartError } from './machine-driver.ts';
import type { NodeObjects, ObjectReference } from './node-objects.ts';

/** Object that does not have what a machine needs, and the version in which it lacks that. */
export interface InsufficientObject {
  readonly reference: ObjectReference;
  /** Unset if the object does not exist. */
  readonly version?: string;
}

/** Reports that a machine cannot start before one of some objects changes. */
export class ObjectWaitError extends MachineStartError {
  readonly #objects: Pick<NodeObjects, 'waitForChange'>;
  readonly #insufficient: readonly InsufficientObject[];

  constructor(
    message: string,
    objects: Pick<NodeObjects, 'waitForChange'>,
    insufficient: readonly InsufficientObject[],
  ) {
    super(message);
    this.#objects = objects;
    this.#insufficient = insufficient;
  }

  /** Resolves when one of the objects has changed or, without meaning, when the signal aborts. */
  async waitForChange(signal: AbortSignal): Promise<void> {
    const done = new AbortController();
    const either = AbortSignal.any([signal, done.signal]);
    const waits = this.#insufficient.map(({ reference, version }) =>
      this.#objects.waitForChange(reference, version, either),
    );
    try {
      await Promise.race(waits);
    } finally {
      done.abort();
      await Promise.allSettled(waits);
    }
  }
}
