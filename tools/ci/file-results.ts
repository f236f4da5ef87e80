import type { FileResult } from './part.ts';

/** Environment variable that names the directory in which a test run records its results. */
export const RESULTS_FOLDER = 'VIMANA_TEST_RESULTS';
/** File of a FileResult in JSON for each test file, written when the file has ended. */
export const RESULTS_FILE = 'files.jsonl';
/** File of the reasons for which tests are skipped, written by the tests themselves (src/testing/programs.ts). */
const REASONS_FILE = 'reasons.jsonl';
/** Stands for tests that are skipped without an own reason. */
export const NO_REASON = '';

interface Reason {
  readonly file: string;
  readonly reason: string;
}

/**
 * Returns the results of the files that have ended. Tests that are skipped without an own reason are skipped for the
 * reasons that their file has reported.
 */
export function resultsIn(textOf: (name: string) => string): FileResult[] {
  const reasons = linesOf<Reason>(textOf(REASONS_FILE));
  return linesOf<FileResult>(textOf(RESULTS_FILE)).map((result) => {
    const { [NO_REASON]: unexplained = 0, ...skipped } = result.skipped;
    if (unexplained === 0) return result;
    const own = [...new Set(reasons.filter(({ file }) => file.endsWith(result.file)).map(({ reason }) => reason))];
    const reason = own.length > 0 ? own.join('; ') : `no reason given (${result.file})`;
    return { ...result, skipped: { ...skipped, [reason]: (skipped[reason] ?? 0) + unexplained } };
  });
}

/** The last line may be incomplete if the process was killed. */
function linesOf<T>(text: string): T[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);
}
