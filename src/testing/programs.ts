import { accessSync, appendFileSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Reports whether the programs that a test requires are installed. If they are not, it prints what is skipped,
 * prominently in CI, where .ci/run installs them.
 */
export function hasPrograms(what: string, ...programs: readonly string[]): boolean {
  const missing = programs.filter((name) => !isInPath(name));
  if (missing.length > 0) reportSkipped(`${what}, because there is no ${missing.join(' and ')} in PATH`);
  return missing.length === 0;
}

/** Prints that a test is skipped, and why. */
export function reportSkipped(what: string): void {
  recordReason(what);
  process.stdout.write(isCI() ? `!!\n!! SKIPPED: ${what}\n!!\n` : `skipped: ${what}\n`);
}

/** Records why tests of the current file are skipped, for the summary of CI (tools/ci/file-results.ts). */
export function recordReason(reason: string): void {
  const folder = process.env['VIMANA_TEST_RESULTS'] ?? '';
  const { __vitest_worker__: worker } = globalThis as { __vitest_worker__?: { readonly filepath?: string } };
  if (folder === '' || worker?.filepath === undefined) return;
  appendFileSync(join(folder, 'reasons.jsonl'), `${JSON.stringify({ file: worker.filepath, reason })}\n`);
}

/** Reports whether the real kubectl is installed. CI requires it, since only tests with it count as proof. */
export function hasKubectl(): boolean {
  const found = isInPath('kubectl');
  if (!found && isCI()) throw new Error('kubectl is not in PATH');
  if (!found) reportSkipped('what is tried with kubectl, because it is not in PATH');
  return found;
}

/** Reports whether the programs for real VMs are installed. CI requires them, since nothing else proves real VMs. */
export function hasQemu(): boolean {
  const programs = ['qemu-system-x86_64', 'qemu-img', 'setpriv', 'flock', 'bwrap', 'apt-get'];
  const missing = programs.filter((name) => !isInPath(name));
  if (missing.length > 0 && isCI()) throw new Error(`${missing.join(', ')} not in PATH`);
  if (missing.length > 0) reportSkipped(`real VMs, because there is no ${missing.join(' and ')} in PATH`);
  return missing.length === 0;
}

const isCI = () => process.env['CI'] === 'true';

function isInPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
