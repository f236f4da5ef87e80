import type { SourceFile } from '../layers/imports.ts';
import { TEST_SUPPORT } from '../layers/table.ts';

/**
 * Directories with one directory for each API group. The same file of each group may export the same name, because
 * it stands for the same part of its group: every group has a VirtualMachine, and every dialect a report.
 */
const GROUP_DIRECTORIES = ['src/api', 'src/vm/dialects'];

const EXPORT = /^export (?:declare |abstract |async )*(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm;
const LIMIT =
  /^(?:export )?const ((?:MOST|LEAST|LONGEST|SHORTEST|LARGEST|SMALLEST|DEEPEST|FEWEST|HIGHEST|LOWEST|SOONEST|KEPT|USUAL)(?:_\w+)?) /gm;
/** Terms of the scheduler that begin like one of the above. */
const TERMS = new Set(['LEAST_ALLOCATED', 'MOST_ALLOCATED']);

/** Reports names that several files of an area export, which should each have one meaning there. */
export function ambiguousNames(files: readonly SourceFile[]): string[] {
  const placesOf = new Map<string, Map<string, string>>();
  for (const { path, text } of files) {
    if (TEST_SUPPORT.test(path)) continue;
    const [, area = ''] = path.split('/');
    for (const { 1: name = '', index } of text.matchAll(EXPORT)) {
      const key = `${area} ${name}`;
      const places = placesOf.get(key) ?? new Map<string, string>();
      placesOf.set(key, places.set(partOf(path), `${path}:${lineAt(text, index)}`));
    }
  }
  return [...placesOf]
    .filter(([, places]) => places.size > 1)
    .map(
      ([key, places]) => `${[...places.values()].join(', ')}: ${key.split(' ')[1]} has several meanings in its area`,
    );
}

/** Reports constants that are limits or defaults and not called so. */
export function oddLimits(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(LIMIT)]
      .filter(({ 1: name = '' }) => !TERMS.has(name))
      .map(({ 1: name, index }) => `${path}:${lineAt(text, index)}: ${name} should begin with MAX, MIN or DEFAULT`),
  );
}

/** Returns the path of a file without its API group, or the path itself outside the directories of groups. */
function partOf(path: string): string {
  const directory = GROUP_DIRECTORIES.find((each) => path.startsWith(`${each}/`));
  if (directory === undefined) return path;
  const [, ...rest] = path.slice(directory.length + 1).split('/');
  return rest.length === 0 ? path : `${directory}/*/${rest.join('/')}`;
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length;
