import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stepsOf } from './steps.ts';

const FOLDER = resolve(import.meta.dirname, '../../docs/guides');

const FIRST = 'first-machine.md';

export interface Guide {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly steps: number;
  readonly hasSlow: boolean;
  /** The one that the README begins with: played by `npm test`, the others by `npm run test:long`. */
  readonly first: boolean;
  /** It starts no cluster of its own. */
  readonly needsCluster: boolean;
}

/** Every guide there is: one that is new is tested too. */
export const GUIDES: readonly Guide[] = globSync('*.md', { cwd: FOLDER })
  .sort()
  .map((name) => {
    const file = join(FOLDER, name);
    const text = readFileSync(file, 'utf8');
    const steps = stepsOf(text);
    return {
      name,
      file,
      text,
      steps: steps.length,
      first: name === FIRST,
      hasSlow: steps.some(({ slow }) => slow),
      needsCluster: text.includes('<!-- needs a cluster -->'),
    };
  });
