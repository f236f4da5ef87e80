import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Compiles src to dist. The stamp is as old as the beginning of the compilation, so that a source saved meanwhile counts
 * as newer, and it gets its name at the end, so that half a build never passes for one.
 */
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
writeFileSync('dist/.building', '');
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status === 0) renameSync('dist/.building', 'dist/.built');
else {
  rmSync('dist', { recursive: true, force: true });
  process.exitCode = status ?? 1;
}
