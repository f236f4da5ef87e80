import { importsOf, type SourceFile, targetOf } from './imports.ts';
import { TEST_SUPPORT } from './table.ts';

/** Entries of a directory that each entry imports, each with an import that shows it. */
type EntryGraph = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Reports the cycles in which the entries of a directory of src import each other, one sentence for each. An entry is a
 * subdirectory with everything in it, or a file. Tests may import anything.
 */
export function cycleViolations(root: string, files: readonly SourceFile[]): string[] {
  const graph = entryGraph(`src/${root}/`, files);
  const reported = new Set<string>();
  return [...graph.keys()].flatMap((entry) => {
    const cycle = reported.has(entry) ? undefined : shortestCycle(graph, entry);
    if (cycle === undefined) return [];
    for (const each of cycle) reported.add(each);
    const steps = cycle.map((each, i) => graph.get(each)?.get(cycle[(i + 1) % cycle.length] ?? '') ?? '');
    return [`src/${root}: ${[...cycle, entry].join(' -> ')} is a cycle: ${steps.join(', ')}`];
  });
}

function entryGraph(prefix: string, files: readonly SourceFile[]): EntryGraph {
  const graph = new Map<string, Map<string, string>>();
  for (const { path, text } of files) {
    const from = entryOf(prefix, path);
    if (from === undefined || TEST_SUPPORT.test(path)) continue;
    for (const { specifier, line } of importsOf(path, text)) {
      const to = entryOf(prefix, targetOf(path, specifier) ?? '');
      if (to === undefined || to === from) continue;
      const imported = graph.get(from) ?? new Map<string, string>();
      graph.set(from, imported);
      if (!imported.has(to)) imported.set(to, `${path}:${line}`);
    }
  }
  return graph;
}

/** Returns the entry of a directory that contains a file, or undefined for a file elsewhere. */
function entryOf(prefix: string, path: string): string | undefined {
  return path.startsWith(prefix) ? path.slice(prefix.length).split('/')[0] : undefined;
}

/** Searches breadth-first for the shortest way from an entry back to itself. */
function shortestCycle(graph: EntryGraph, start: string): readonly string[] | undefined {
  const reachedFrom = new Map<string, string>();
  const queue = [start];
  for (const entry of queue) {
    for (const next of graph.get(entry)?.keys() ?? []) {
      if (next === start) return wayTo(entry, reachedFrom);
      if (reachedFrom.has(next)) continue;
      reachedFrom.set(next, entry);
      queue.push(next);
    }
  }
  return undefined;
}

/** Returns the entries on the way to an entry, which is the last of them. */
function wayTo(end: string, reachedFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [end];
  for (let at = reachedFrom.get(end); at !== undefined; at = reachedFrom.get(at)) way.unshift(at);
  return way;
}
