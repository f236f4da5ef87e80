/** Long work that yields where other work may run. The caller that drives it decides who waits. */
export type Steps<T> = Generator<void, T, void>;

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs the steps and calls `turn` after each, which returns undefined if no other work needs to run. */
export async function runStepsInTurns<T>(steps: Steps<T>, turn: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const others = turn();
    if (others !== undefined) await others;
  }
}
