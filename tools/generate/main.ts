import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { differences, leftovers } from './differences.ts';
import { generatedFiles } from './files.ts';

const files = generatedFiles();
if (process.argv.includes('--check')) {
  const found = differences('.', files);
  for (const difference of found) console.error(difference);
  console.log(`generated: ${files.size} files, ${found.length} differences`);
  if (found.length > 0) {
    console.error("Run 'npm run generate' and commit what it writes.");
    process.exitCode = 1;
  }
} else {
  for (const path of leftovers('.', files)) rmSync(path);
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  console.log(`generated: ${files.size} files`);
}
