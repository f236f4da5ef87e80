import { parseArgs } from 'node:util';

export interface MutateOptions {
  /** Directory or file of src. */
  readonly path: string;
  /** Takes only the mutants of this line. */
  readonly line: number | undefined;
  readonly seed: string;
  readonly count: number;
  /** Number of related test files that are tried on a mutant. */
  readonly tests: number;
  /** The run fails if a smaller percentage of the mutants with an effect is killed. */
  readonly threshold: number;
}

export const USAGE =
  'Usage: npm run mutate -- [directory | file | file:line] [--seed TEXT] [--count 100] [--tests 8] [--threshold 90]';

/** Reads the command line. Throws an error that says what is wrong with it. */
export function parseOptions(argv: readonly string[], randomSeed: () => string): MutateOptions {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      count: { type: 'string', default: '100' },
      tests: { type: 'string', default: '8' },
      threshold: { type: 'string', default: '90' },
    },
  });
  if (positionals.length > 1) throw new Error(`one directory at a time, not ${positionals.join(' and ')}`);
  const [, path = 'src', line] = /^(.*?)(?::(\d+))?$/.exec(positionals[0] ?? 'src') ?? [];
  return {
    path: path.replace(/\/$/, ''),
    line: line === undefined ? undefined : Number(line),
    seed: values.seed ?? randomSeed(),
    count: wholeNumber('--count', values.count, 1),
    tests: wholeNumber('--tests', values.tests, 1),
    threshold: wholeNumber('--threshold', values.threshold, 0),
  };
}

function wholeNumber(flag: string, text: string, min: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < min) {
    throw new Error(`${flag} is ${JSON.stringify(text)}: give a whole number of at least ${min}`);
  }
  return Number(text);
}
