import { filesToRetry, notRun, obstacle, outcomeOf } from './decide.ts';
import type { Outcome, Part, Run } from './part.ts';
import { loudly } from './summary.ts';

export interface Conditions {
  /** Second at which everything must have ended. */
  readonly deadline: number;
  /** Returns the time in seconds. */
  readonly now: () => number;
  readonly say: (text: string) => void;
  /** Runs a part with some of its files for at most so many seconds. */
  readonly run: (part: Part, files: readonly string[], limitSeconds: number) => Promise<Run>;
}

/** Runs parts one after the other, as far as time allows. */
export async function runParts(parts: readonly Part[], conditions: Conditions): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const part of parts) outcomes.push(await runPart(part, outcomes, conditions));
  return outcomes;
}

async function runPart(
  part: Part,
  before: readonly Outcome[],
  { deadline, now, say, run }: Conditions,
): Promise<Outcome> {
  say(`\n== ${part.name}\n`);
  const why = obstacle(part, before, deadline - now());
  if (why !== undefined) {
    say(loudly(`SKIPPED: ${part.name} (${why})`));
    return notRun(part, why);
  }
  for (const [name, value] of Object.entries(part.env ?? {})) say(`${name}=${value}\n`);
  const begin = now();
  const first = await run(part, part.files ?? [], deadline - begin);
  const again = filesToRetry(part, first);
  if (again.length === 0) return outcomeOf(part, now() - begin, first);
  say(loudly('FAILED, AND RUN A SECOND TIME:', ...again.map((file) => `  ${file}`)));
  const second = await run(part, again, deadline - now());
  return outcomeOf(part, now() - begin, first, second);
}
