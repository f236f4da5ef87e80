import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

/** Compiles src to dist. The stamp is older than the compilation, so that a source saved meanwhile counts as newer. */
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
writeFileSync('dist/.built', '');
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status !== 0) {
  // Half a build must not pass for one.
  rmSync('dist', { recursive: true, force: true });
  process.exitCode = status ?? 1;
}
