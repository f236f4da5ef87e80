import { ReportedError, reportedError } from '../failure.ts';
import type { Io } from '../io.ts';

/** Runs a function for each item in turn. A failure is reported by name, and does not stop the others. */
export async function eachOf<T, R>(
  io: Io,
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<AttemptResults<R>> {
  const done: R[] = [];
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      done.push(await run(item));
    } catch (error) {
      failures.push(error);
    }
  }
  return attemptResults(io, done, failures);
}

/** Does the same for all items concurrently, for functions that take a while. */
export async function allOf<T, R>(
  io: Io,
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<AttemptResults<R>> {
  const settled = await Promise.allSettled(items.map((item) => run(item)));
  const done = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failures = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  return attemptResults(io, done, failures);
}

/** Results of several attempts. */
export interface AttemptResults<R> {
  readonly done: readonly R[];
  /** Throws if any attempt failed, once the others are finished. */
  finish(): void;
}

function attemptResults<R>(io: Io, done: readonly R[], failures: readonly unknown[]): AttemptResults<R> {
  const codes = failures.map((failure) => reportedError(failure, io, { debug: false }));
  return {
    done,
    finish() {
      if (codes.length > 0) throw new ReportedError(Math.max(...codes));
    },
  };
}
