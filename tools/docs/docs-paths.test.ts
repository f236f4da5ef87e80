import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeIn, diagramPathsIn, identifiersIn, pathsIn, shortNamesIn, wordsIn } from './references.ts';

const DOCUMENTS = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/{decisions,guides}/*.md')];
/** Documents whose every identifier must exist. The guides quote what users type and see on other systems. */
const STRICT = ['ARCHITECTURE.md', ...globSync('docs/decisions/*.md')];
/** ARCHITECTURE.md says that the paths of its diagrams are relative to these. */
const DIAGRAM_ROOTS = ['src', 'src/vm', 'src/control-plane/apiserver'];

const FILES = globSync('{src,test,tools,bench,examples}/**/*.{ts,json}').map((path) => `/${path}`);
const exists = (pattern: string) => globSync(pattern).length > 0;
const isFile = (name: string) => FILES.some((path) => path.endsWith(`/${name}`));
const isInDiagramRoot = (path: string) =>
  DIAGRAM_ROOTS.some((root) => exists(`${root}/${path}`) || exists(`${root}/${path}.ts`));

describe('documents name files that exist', () => {
  it.each(DOCUMENTS)('%s', (document) => {
    const code = codeIn(readFileSync(document, 'utf8'));
    expect(pathsIn(code).filter((path) => !exists(path))).toEqual([]);
    expect(shortNamesIn(code).filter((name) => !isFile(name))).toEqual([]);
  });

  it('in the diagrams of ARCHITECTURE.md', () => {
    const paths = diagramPathsIn(codeIn(readFileSync('ARCHITECTURE.md', 'utf8')));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !isInDiagramRoot(path))).toEqual([]);
  });
});

describe('documents name identifiers that exist', () => {
  // Tests of names contain names that do not exist.
  const sources = globSync(['{src,test,bench,tools}/**/*.ts', 'src/**/*.json', '{deploy,examples}/**/*.yaml']).filter(
    (path) => !/^tools\/(?:docs|language|renames|names)\//.test(path),
  );
  const known = new Set([...sources, 'package.json', '.ci/run', 'deploy/Dockerfile'].flatMap(codeWords));

  it.each(STRICT)('%s', (document) => {
    const names = identifiersIn(codeIn(readFileSync(document, 'utf8')));
    expect([...new Set(names)].filter((name) => !known.has(name))).toEqual([]);
  });
});

/** Returns the words of a file and of its path, without lines that are only comments. */
function codeWords(path: string): string[] {
  const code = readFileSync(path, 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  return [...wordsIn(path), ...wordsIn(code)];
}

describe('the references of a document', () => {
  const code = codeIn(
    [
      'See `src/nowhere.ts`, `docs/x.md#part`, `src/api/<group>`, `verbs/get.ts`, `ServerHostt` and `a.bOf<K>`.',
      '```',
      'start ── verbs/get, watch ── fields/: planVn ──▶ vm/dialects/<group>/admission',
      '```',
      '```ts',
      "const size = bytes('no name', nonee);",
      '```',
    ].join('\n'),
  );

  it('include paths', () => {
    expect(pathsIn(code)).toEqual(['src/nowhere.ts', 'docs/x.md', 'src/api/*']);
    expect(shortNamesIn(code)).toEqual(['src/nowhere.ts', 'verbs/get.ts']);
    expect(diagramPathsIn(code)).toEqual(['verbs/get', 'fields', 'vm/dialects/*/admission']);
  });

  it('include identifiers', () => {
    expect(identifiersIn(code)).toEqual(['ServerHostt', 'a', 'bOf', 'K', 'planVn', 'const', 'size', 'bytes', 'nonee']);
  });
});
