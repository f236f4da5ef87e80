import { resolve } from 'node:path';
import { createVitest, type Reporter } from 'vitest/node';
import { mutate } from './mutants.ts';
import type { TestReport, TestRequest } from './test-process.ts';

/**
 * Runs tests on changed code, in a process of its own: vitest stays loaded between mutants, and a mutant that never
 * ends is stopped with the process. The change exists only in what vitest loads, never in the tree.
 */
let current: TestRequest | undefined;

const send = (report: TestReport) => void process.send?.(report);

const progress: Reporter = { onTestCaseResult: () => send({ kind: 'progress' }) };

const vitest = await createVitest(
  'test',
  // The cache on disk is keyed by the unchanged text, so it would keep mutants for later runs.
  { watch: false, run: true, bail: 1, maxWorkers: 1, fsModuleCache: false, reporters: [progress] },
  {
    plugins: [
      {
        name: 'mutate',
        enforce: 'pre',
        transform(code, id) {
          const edit = current?.edit;
          if (edit === undefined || id !== resolve(edit.path)) return undefined;
          return { code: mutate(code, edit), map: null };
        },
      },
    ],
  },
);
await vitest.standalone();

async function runTests(request: TestRequest): Promise<TestReport> {
  const changed = [current?.edit, request.edit];
  current = request;
  for (const edit of changed) if (edit !== undefined) vitest.invalidateFile(resolve(edit.path));
  const specifications = request.tests.map((test) => vitest.getRootProject().createSpecification(resolve(test)));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // vitest also returns the modules of earlier runs.
  const requested = testModules.filter(({ relativeModuleId }) => request.tests.includes(relativeModuleId));
  const failed = requested.find((module) => module.state() === 'failed');
  if (failed !== undefined) return { kind: 'failed', test: failed.relativeModuleId };
  return unhandledErrors.length > 0 ? { kind: 'failed', test: undefined } : { kind: 'passed' };
}

process.on('message', (request: TestRequest) => {
  runTests(request).then(send, (error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });
