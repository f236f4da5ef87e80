import { globSync, readFileSync } from 'node:fs';
import { violations } from './violations.ts';

const files = globSync('src/**/*.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }));
const found = violations(files);
for (const violation of found) console.error(violation);
if (files.length === 0) throw new Error('no source file found: run this from the root of the repository');
console.log(`layers: ${files.length} files, ${found.length} violations`);
process.exitCode = found.length === 0 ? 0 : 1;
