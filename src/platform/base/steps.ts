/** Long work that yields where others may have a turn. It is nothing but work: whoever drives it decides who waits. */
export type Steps<T> = Generator<void, T, void>;

/** Does all of it at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does it with a turn for others after each step; undefined where nobody needs one. */
export async function runStepsInTurns<T>(steps: Steps<T>, turn: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const others = turn();
    if (others !== undefined) await others;
  }
}
