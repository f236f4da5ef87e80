import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type LockFile, lockChanges } from './lock-file.ts';

/** Fails if `npm install` has changed the committed lock file in a way that matters. */
const { stdout } = spawnSync('git', ['show', 'HEAD:package-lock.json'], { encoding: 'utf8', maxBuffer: 1 << 28 });
const changes = lockChanges(
  JSON.parse(stdout) as LockFile,
  JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile,
);
for (const change of changes) process.stderr.write(`package-lock.json: ${change}\n`);
if (changes.length > 0) {
  process.stderr.write('npm install changes package-lock.json: commit what it writes\n');
  process.exitCode = 1;
}
