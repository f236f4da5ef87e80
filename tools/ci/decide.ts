import type { FileResult, Outcome, Part, Run } from './part.ts';

/** Returns why a part cannot run, or undefined if it can. */
export function obstacle(part: Part, before: readonly Outcome[], secondsLeft: number): string | undefined {
  const broken = before.find((outcome) => outcome.required && outcome.state === 'failed');
  if (broken !== undefined) return `${broken.part} failed`;
  const base = before.find((outcome) => outcome.part === part.after);
  if (part.after !== undefined && base?.state !== 'passed') {
    return `${part.after}: ${base?.why ?? base?.state ?? 'not run'}`;
  }
  if (part.required !== true && secondsLeft < part.minutes * 60) {
    return `it takes ${part.minutes} minutes, and ${Math.max(0, Math.floor(secondsLeft / 60))} are left`;
  }
  return undefined;
}

/** Returns the files of a run that deserve a second one. A run that failed without a failed file does not. */
export function filesToRetry(part: Part, run: Run): readonly string[] {
  if (part.retries !== true || run.status === 0 || run.status === undefined) return [];
  const known = new Set(part.files);
  return run.files.filter(({ file, state }) => state === 'failed' && known.has(file)).map(({ file }) => file);
}

/** Merges a run with the second one of its failed files. The later result of a file counts. */
export function outcomeOf(part: Part, seconds: number, first: Run, second?: Run): Outcome {
  const again = new Map(second?.files.map((result) => [result.file, result]));
  const files = first.files.map((result) => again.get(result.file) ?? result);
  const retried = first.files.filter((each) => each.state === 'failed' && again.get(each.file)?.state === 'passed');
  const finished = new Set(files.map(({ file }) => file));
  const unfinished = (part.files ?? []).filter((file) => !finished.has(file));
  const required = part.required === true;
  const base = { part: part.name, required, seconds, files, retried: retried.map(({ file }) => file), unfinished };
  const failed = files.filter(({ state }) => state === 'failed').map(({ file }) => file);
  if (failed.length > 0) return { ...base, state: 'failed', why: failed.join(', ') };
  const status = second === undefined ? first.status : second.status;
  if (status === undefined) {
    return { ...base, state: required ? 'failed' : 'cut short', why: 'no time was left' };
  }
  if (status === part.lacks?.status) return { ...base, state: 'skipped', why: part.lacks.what };
  if (status !== 0) return { ...base, state: 'failed', why: `exit status ${status}` };
  // A test runner that exits successfully before all of its files have ended hides something.
  if (unfinished.length > 0) return { ...base, state: 'failed', why: `not run: ${unfinished.join(', ')}` };
  return { ...base, state: 'passed' };
}

/** Returns the outcome of a part that does not run. */
export function notRun(part: Part, why: string): Outcome {
  const unfinished = part.files ?? [];
  return { part: part.name, required: false, state: 'skipped', why, seconds: 0, files: [], retried: [], unfinished };
}

/** Adds up the skipped tests of all files by reason, the most frequent first. */
export function skippedByReason(files: readonly FileResult[]): [reason: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { skipped } of files) {
    for (const [reason, count] of Object.entries(skipped)) counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

/** Assigns every file to the group with the longest prefix of its path. The prefix '' takes all others. */
export function groupByPrefix(files: readonly string[], groups: readonly (readonly string[])[]): readonly string[][] {
  const found: string[][] = groups.map(() => []);
  const prefixes = groups
    .flatMap((group, at) => group.map((prefix) => ({ prefix, at })))
    .toSorted((a, b) => b.prefix.length - a.prefix.length);
  for (const file of files.toSorted()) {
    const match = prefixes.find(({ prefix }) => file.startsWith(prefix));
    if (match === undefined) throw new Error(`no part of CI runs ${file}`);
    found[match.at]?.push(file);
  }
  return found;
}
