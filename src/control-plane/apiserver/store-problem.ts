import type { Backend } from './backend.ts';

/** Returns why a store rejects writes, if one does. */
export async function problemOf(stores: Backend['stores']): Promise<string | undefined> {
  const [main, events] = await Promise.all([stores.main.problem(), stores.events.problem()]);
  const problem = main ?? events;
  // Anyone may read this, but the location of the data concerns only some users.
  return problem === undefined ? undefined : problem.cause instanceof Error ? problem.cause.message : problem.message;
}
