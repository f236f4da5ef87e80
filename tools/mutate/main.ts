import { globSync, readFileSync } from 'node:fs';
import { systemRandom } from '#platform/base/random';
import config from '../../vitest.config.ts';
import type { SourceFile } from '../layers/imports.ts';
import { TEST_SUPPORT } from '../layers/table.ts';
import { Judge } from './judge.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { noEffectReason } from './no-effect.ts';
import { type MutateOptions, parseOptions, USAGE } from './options.ts';
import { formatScore, formatVerdict, type Outcome, scoreOf, type Verdict } from './outcome.ts';
import { importersOf, relatedTests } from './related-tests.ts';
import { sampleMutants } from './sample.ts';
import { TestProcess } from './test-process.ts';

/** Runs `npm run mutate [directory]`: changes code in small ways and reports the changes that no test notices. */
function readOptions(): MutateOptions {
  try {
    return parseOptions(process.argv.slice(2), () => systemRandom().hex(8));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  }
}

function readFiles(patterns: readonly string[]): SourceFile[] {
  return globSync([...patterns]).map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

function mutantsUnder(files: readonly SourceFile[], { path, line }: MutateOptions): Mutant[] {
  const selected = files.filter((file) => file.path === path || file.path.startsWith(`${path}/`));
  const sources = selected.filter((file) => file.path.startsWith('src/') && !TEST_SUPPORT.test(file.path));
  const mutants = sources.flatMap((file) => mutantsOf(file.path, file.text));
  return line === undefined ? mutants : mutants.filter((mutant) => mutant.line === line);
}

function createJudge(files: readonly SourceFile[], maxTests: number, tests: TestProcess): Judge {
  const importers = importersOf(files);
  const { include = [], exclude = [] } = config.test ?? {};
  const runnable = new Set(globSync([...include], { exclude: [...exclude] }));
  const testsOf = (path: string) => relatedTests(path, importers, (test) => runnable.has(test)).slice(0, maxTests);
  return new Judge({ run: (request) => tests.run(request), testsOf });
}

const options = readOptions();
const files = readFiles(['src/**/*.ts', 'test/**/*.ts', 'tools/**/*.ts']);
const textOf = new Map(files.map(({ path, text }) => [path, text]));
const all = mutantsUnder(files, options);
if (all.length === 0) {
  console.error(`${options.path} has no code to mutate: name a directory or a file of src`);
  process.exit(2);
}
const sample = sampleMutants(all, options.seed, options.count);
const replay = `npm run mutate -- ${options.path} --seed ${options.seed} --count ${options.count}`;
console.log(`${sample.length} of ${all.length} mutants; repeat with: ${replay}`);

const tests = new TestProcess();
process.on('exit', () => tests.stop());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const judge = createJudge(files, options.tests, tests);
const verdicts: Verdict[] = [];
for (const mutant of sample) {
  const reason = noEffectReason(mutant, textOf.get(mutant.path) ?? '');
  const outcome: Outcome = reason === undefined ? await judge.judge(mutant) : { kind: 'no-effect', reason };
  verdicts.push({ mutant, outcome });
  console.log(formatVerdict({ mutant, outcome }));
}
tests.stop();
for (const test of judge.failing) console.log(`left out, because it fails on the unchanged code: ${test}`);
const score = scoreOf(verdicts);
console.log(`\n${formatScore(score)}\nrepeat with: ${replay}`);
process.exitCode = score.rate * 100 >= options.threshold ? 0 : 1;
