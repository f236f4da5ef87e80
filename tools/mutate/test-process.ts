import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import type { Mutant } from './mutants.ts';

/** A request to the process that runs tests. Without an edit, they run on the code as it is. */
export interface TestRequest {
  readonly edit: Mutant | undefined;
  readonly tests: readonly string[];
}

export type TestReport = { readonly kind: 'ready' } | { readonly kind: 'progress' } | TestResult;

export type TestResult =
  | { readonly kind: 'passed' }
  | { readonly kind: 'timeout' }
  /** The test file that failed, unless an error occurred outside all of them. */
  | { readonly kind: 'failed'; readonly test: string | undefined };

/** No test of this repository takes this long from one result to the next. */
const MAX_SILENCE_MS = 90_000;

/** A mutant that allocates without end must not take the memory of the host. */
const MAX_HEAP_MB = 2_048;

/** Runs tests in another process, which is started when needed and again after a mutant has stalled or ended it. */
export class TestProcess {
  #child: ChildProcess | undefined;

  async run(request: TestRequest): Promise<TestResult> {
    const child = (this.#child ??= await startChild());
    const { promise, resolve: settle } = Promise.withResolvers<TestResult>();
    const onSilence = () => settle({ kind: 'timeout' });
    let silence = setTimeout(onSilence, MAX_SILENCE_MS);
    child.on('message', (report: TestReport) => {
      clearTimeout(silence);
      silence = setTimeout(onSilence, MAX_SILENCE_MS);
      if (report.kind !== 'ready' && report.kind !== 'progress') settle(report);
    });
    // The mutant ended the process, by process.exit() or by using up its memory.
    child.once('exit', () => settle({ kind: 'failed', test: undefined }));
    child.send(request);
    const result = await promise;
    clearTimeout(silence);
    child.removeAllListeners();
    if (result.kind === 'timeout' || child.exitCode !== null || child.signalCode !== null) this.stop();
    return result;
  }

  /** Stops the process and everything that tests have started in it. */
  stop(): void {
    const { pid } = this.#child ?? {};
    this.#child = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The process group has ended by itself.
    }
  }
}

async function startChild(): Promise<ChildProcess> {
  const child = fork(resolve(import.meta.dirname, 'run-tests.ts'), {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-2_000);
  });
  await new Promise<void>((ready, fail) => {
    child.once('message', () => ready());
    child.once('exit', (code) => fail(new Error(`vitest could not be started (exit code ${code}): ${errors}`)));
  });
  child.removeAllListeners();
  return child;
}
