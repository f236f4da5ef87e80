import { globSync, readFileSync } from 'node:fs';
import { longFunctionViolations } from './long-functions.ts';
import { violations } from './violations.ts';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
const files = globSync('src/**/*.{ts,tsx,mts,cts,js,mjs,cjs}').map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}));
const found = [...violations(files, new Set(Object.keys(dependencies))), ...longFunctionViolations(files)];
for (const violation of found) console.error(violation);
if (files.length === 0) throw new Error('no source file found: run this from the root of the repository');
console.log(`layers: ${files.length} files, ${found.length} violations`);
process.exitCode = found.length === 0 ? 0 : 1;
