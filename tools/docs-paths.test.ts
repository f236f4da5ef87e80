import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/**
 * Returns the paths of this repository that a document names in backquotes: `src/vm/engine/plan-vm.ts`, `tools/layers`.
 */
function pathsIn(text: string): string[] {
  const prose = text.replaceAll(/```[^]*?```/g, '');
  return [...prose.matchAll(/`((?:src|test|tools|bench|docs|deploy|examples|bin)\/[^`\s<>*]+)`/g)].map(
    ([, path = '']) => path.replace(/[:#].*$/, '').replace(/\/$/, ''),
  );
}

/** Returns the files that a document names in short, such as `retention.ts` or `flow-control/thread-share.ts`. */
function shortNamesIn(text: string): string[] {
  return [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\.(?:ts|data\.json))`/g)].map(([, name = '']) => name);
}

const DOCUMENTS = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/{decisions,guides}/*.md')];
const FILES = globSync('{src,test,tools,bench,examples}/**/*.{ts,json}').map((path) => `/${path}`);
const isFile = (name: string) => FILES.some((path) => path.endsWith(`/${name}`));

describe('documents name files that exist', () => {
  it.each(DOCUMENTS)('%s', (document) => {
    const text = readFileSync(document, 'utf8');
    expect(pathsIn(text).filter((path) => !existsSync(path))).toEqual([]);
    expect(shortNamesIn(text).filter((name) => !isFile(name))).toEqual([]);
  });

  it('a missing file is reported', () => {
    expect(pathsIn('See `src/nowhere.ts` and `docs/x.md#part`.')).toEqual(['src/nowhere.ts', 'docs/x.md']);
  });
});
