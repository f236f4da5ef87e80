import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';
import { NO_REASON, RESULTS_FILE, RESULTS_FOLDER } from './file-results.ts';
import type { FileResult } from './part.ts';

/** Records the result of each test file when it has ended, so that a run that is stopped loses none. */
export default class FileResultsReporter implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    record(resultOf(module));
  }

  /** An error outside of all tests belongs to no file, and no second run of a file makes up for it. */
  onTestRunEnd(_modules: readonly TestModule[], errors: readonly { readonly message: string }[]): void {
    if (errors.length === 0) return;
    const failed = errors.map(({ message }) => message);
    record({ file: '(outside of all tests)', state: 'failed', passed: 0, failed, skipped: {} });
  }
}

function record(result: FileResult): void {
  const folder = process.env[RESULTS_FOLDER] ?? '';
  if (folder !== '') appendFileSync(join(folder, RESULTS_FILE), `${JSON.stringify(result)}\n`);
}

function resultOf(module: TestModule): FileResult {
  let passed = 0;
  const failed: string[] = [];
  const skipped: Record<string, number> = {};
  for (const test of module.children.allTests()) {
    const result = test.result();
    if (result.state === 'passed') passed++;
    else if (result.state === 'skipped') {
      const reason = result.note ?? NO_REASON;
      skipped[reason] = (skipped[reason] ?? 0) + 1;
    } else failed.push(withCause(test.fullName, result.errors ?? []));
  }
  const hooks = [module, ...module.children.allSuites()].filter((each) => each.errors().length > 0);
  for (const each of hooks) {
    failed.push(withCause(each.type === 'suite' ? `${each.fullName} (hook)` : '(hook)', each.errors()));
  }
  // A file or a hook can fail without a failed test.
  const state =
    module.state() === 'failed' || failed.length > 0 ? 'failed' : module.state() === 'skipped' ? 'skipped' : 'passed';
  return { file: module.relativeModuleId, state, passed, failed, skipped };
}

const MAX_CAUSE_LINES = 6;
const MAX_CAUSE_LENGTH = 600;

/** The end of a log is often all that remains of it, so the summary must report why a test failed. */
function withCause(name: string, errors: readonly { readonly message: string }[]): string {
  const cause = errors
    .map(({ message }) => stripVTControlCharacters(message))
    .join('\n')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_CAUSE_LINES)
    .join('\n      ')
    .slice(0, MAX_CAUSE_LENGTH);
  return cause === '' ? name : `${name}\n      ${cause}`;
}
