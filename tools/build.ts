import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Returns the package's imports, which name files of src, rewritten to files of dist. */
function builtImports(): Record<string, string> {
  const { imports } = JSON.parse(readFileSync('package.json', 'utf8')) as { imports: Record<string, string> };
  const built = (file: string) => file.replace('./src/', './').replace(/\.ts$/, '.js');
  return Object.fromEntries(Object.entries(imports).map(([name, file]) => [name, built(file)]));
}

/**
 * Compiles src to dist. The stamp has the time at which the compilation started, so that a source saved meanwhile
 * counts as newer. It is renamed at the end, so that a partial build never counts as complete.
 */
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
writeFileSync('dist/.building', '');
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status === 0) {
  writeFileSync('dist/package.json', JSON.stringify({ type: 'module', imports: builtImports() }));
  // Deployments name this file, so its path does not depend on that of the program's source.
  writeFileSync('dist/main.js', "import './programs/main.js';\n");
  renameSync('dist/.building', 'dist/.built');
} else {
  rmSync('dist', { recursive: true, force: true });
  process.exitCode = status ?? 1;
}
