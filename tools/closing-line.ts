import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one plain line of counts that a script can parse, whatever the other reporters print. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      let tests = 0;
      for (const test of module.children.allTests()) {
        tests++;
        const { state } = test.result();
        if (state !== 'pending') counts[state]++;
      }
      if (tests === 0 && module.state() === 'failed') counts.failed++;
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}
