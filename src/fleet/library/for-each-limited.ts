/**
 * Runs a function for each item with limited concurrency. The first failure ends it, after the started calls have
 * finished.
 */
export async function forEachLimited<T>(
  count: number,
  things: readonly T[],
  run: (thing: T) => Promise<unknown>,
): Promise<void> {
  const next = things.values();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const thing of next) {
      try {
        await run(thing);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, things.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
