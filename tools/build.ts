import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The package's own imports, which name files of src, as files of dist. */
function builtImports(): Record<string, string> {
  const { imports } = JSON.parse(readFileSync('package.json', 'utf8')) as { imports: Record<string, string> };
  const built = (file: string) => file.replace('./src/', './').replace(/\.ts$/, '.js');
  return Object.fromEntries(Object.entries(imports).map(([name, file]) => [name, built(file)]));
}

/**
 * Compiles src to dist. The stamp is as old as the beginning of the compilation, so that a source saved meanwhile counts
 * as newer, and it gets its name at the end, so that half a build never passes for one.
 */
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
writeFileSync('dist/.building', '');
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status === 0) {
  writeFileSync('dist/package.json', JSON.stringify({ type: 'module', imports: builtImports() }));
  // Deployments name this file, so its path stays the same wherever the program's source is.
  writeFileSync('dist/main.js', "import './programs/main.js';\n");
  renameSync('dist/.building', 'dist/.built');
} else {
  rmSync('dist', { recursive: true, force: true });
  process.exitCode = status ?? 1;
}
