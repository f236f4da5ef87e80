import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { csvLine } from '../report/csv.ts';
import { withDirectory } from '../report/output.ts';
import type { RunSummary } from '../report/summary.ts';
import type { Comparison } from './comparison.ts';
import { FIGURES } from './figures.ts';

const WHOLE = 'comparison.json';
const RUNS = 'runs.csv';
const OURS = /^comparison\.json$|^runs\.csv$|^folder\.lock(?:-journal)?$/;

/** Destination of a comparison. */
export interface ComparisonOutput {
  run(method: string, seed: string, summary: RunSummary): void;
  finish(comparison: Comparison): void;
  /** Ends without a comparison. */
  discard(): void;
}

/** Writes a comparison to a directory, and overwrites an earlier one. */
export function comparisonOutput(directory: string, hold: (directory: string) => () => void): ComparisonOutput {
  return withDirectory(directory, OURS, hold, (release) => {
    for (const name of [WHOLE, RUNS]) rmSync(join(directory, name), { force: true });
    let text = csvLine(['method', 'seed', ...FIGURES.map(({ name }) => name)]);
    return {
      run: (method, seed, summary) => void (text += csvLine([method, seed, ...FIGURES.map(({ of }) => of(summary))])),
      finish(comparison) {
        writeFileSync(join(directory, RUNS), text);
        writeFileSync(join(directory, WHOLE), `${JSON.stringify(comparison, undefined, 2)}\n`);
        release();
      },
      discard: release,
    };
  });
}
