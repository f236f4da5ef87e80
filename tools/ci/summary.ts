import { skippedByReason } from './decide.ts';
import type { Outcome } from './part.ts';

/** Puts text where nobody overlooks it. */
export function loudly(...lines: readonly string[]): string {
  return ['!!', ...lines.flatMap((line) => line.split('\n')).map((line) => `!! ${line}`), '!!', ''].join('\n');
}

/** Returns the last lines of a CI run: all parts, then whatever somebody could overlook. */
export function summary(outcomes: readonly Outcome[]): string {
  const files = outcomes.flatMap((outcome) => outcome.files);
  const width = Math.max(...outcomes.map(({ part }) => part.length));
  const parts = outcomes.map(
    ({ part, state, seconds }) => `  ${part.padEnd(width)}  ${state}${seconds > 0 ? `, ${duration(seconds)}` : ''}`,
  );
  const skips = skippedByReason(files);
  const total = skips.reduce((sum, [, count]) => sum + count, 0);
  const passed = files.reduce((sum, each) => sum + each.passed, 0);
  const failed = files.reduce((sum, each) => sum + each.failed.length, 0);
  return [
    '',
    '== summary',
    ...parts,
    '',
    `${passed} tests passed, ${failed} failed, ${total} were skipped${total > 0 ? ':' : ''}`,
    ...skips.map(([reason, count]) => `  ${String(count).padStart(5)}  ${reason}`),
    '',
    ...outcomes.flatMap(warnings),
    isFailure(outcomes) ? 'CI FAILED' : 'CI passed',
    '',
  ].join('\n');
}

function warnings({ part, state, why, retried, unfinished, files }: Outcome): string[] {
  const found: string[] = [];
  if (retried.length > 0) found.push(loudly(`PASSED ONLY IN A SECOND RUN (${part}):`, ...retried.map(indented)));
  if (state === 'skipped') found.push(loudly(`SKIPPED: ${part} (${why ?? ''})`, ...unfinished.map(indented)));
  if (state === 'cut short') {
    found.push(loudly(`CUT SHORT: ${part} (${why ?? ''}). Not run to the end:`, ...unfinished.map(indented)));
  }
  if (state === 'failed') {
    const tests = files.flatMap(({ file, failed }) => failed.map((test) => indented(`${file}: ${test}`)));
    found.push(loudly(`FAILED: ${part} (${why ?? ''})`, ...tests));
  }
  return found;
}

/** Only failures fail a run. What was skipped for want of time or of a program is printed. */
export function isFailure(outcomes: readonly Outcome[]): boolean {
  return outcomes.some(({ state }) => state === 'failed');
}

const indented = (line: string) => `  ${line}`;

const duration = (seconds: number) =>
  `${Math.floor(seconds / 60)}m${String(Math.round(seconds % 60)).padStart(2, '0')}s`;
