import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { FileResult, Part } from './part.ts';
import { runCommand } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'vimana-run-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A stand-in for vitest, which records what the script says. */
function part(script: string): Part {
  const program = join(folder, 'program');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { name: 'p', command: [program], minutes: 1, tests: true, files: ['a.test.ts'] };
}

const RESULT: FileResult = { file: 'a.test.ts', state: 'passed', passed: 1, failed: [], skipped: { '': 2, late: 1 } };
const RECORD = `echo '${JSON.stringify(RESULT)}' >>"$VIMANA_TEST_RESULTS/files.jsonl"`;

describe('a command', () => {
  it('returns its status and the results of the files that ended', async () => {
    const reason = JSON.stringify({ file: '/somewhere/a.test.ts', reason: 'no fish' });
    const script = `echo '${reason}' >>"$VIMANA_TEST_RESULTS/reasons.jsonl"\n${RECORD}\nprintf '{"fi' >>"$VIMANA_TEST_RESULTS/files.jsonl"\nexit 3`;
    expect(await runCommand(part(script), ['a.test.ts'], 60)).toEqual({
      status: 3,
      files: [{ ...RESULT, skipped: { late: 1, 'no fish': 2 } }],
    });
  });

  it('reports tests that are skipped without a reason', async () => {
    const { files } = await runCommand(part(RECORD), [], 60);
    expect(files[0]?.skipped).toEqual({ late: 1, 'no reason given (a.test.ts)': 2 });
  });

  it('is stopped with all its children when the time runs out', async () => {
    const { status } = await runCommand(part('sleep 600 & sleep 600; wait'), [], 0.1);
    expect(status).toBeUndefined();
  });
});
