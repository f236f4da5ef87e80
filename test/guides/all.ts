import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stepsOf } from './steps.ts';

const DIRECTORY = resolve(import.meta.dirname, '../../docs/guides');

const FIRST = 'first-vm.md';

export interface Guide {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly steps: number;
  readonly hasSlow: boolean;
  /** The guide that the README starts with, tested by `npm test`. The others are tested by `npm run test:long`. */
  readonly first: boolean;
  /** Starts no cluster of its own. */
  readonly needsCluster: boolean;
}

/** Lists all guides, so that new ones are tested too. */
export const GUIDES: readonly Guide[] = globSync('*.md', { cwd: DIRECTORY })
  .sort()
  .map((name) => {
    const file = join(DIRECTORY, name);
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
