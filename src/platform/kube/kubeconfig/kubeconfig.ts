import { LineCounter, parseDocument } from 'yaml';
import { Fields } from './fields.ts';

type Kind = 'cluster' | 'user' | 'context';

/** Named entries of one or more files, not yet validated. */
export interface Kubeconfig {
  readonly currentContext: string | undefined;
  entry(kind: Kind, name: string): Fields | undefined;
  /** Returns the names of all entries of the kind, in the order of the files. */
  names(kind: Kind): string[];
}

/** Parsed content of one file. */
export interface KubeconfigFile {
  readonly currentContext: string | undefined;
  readonly entries: Readonly<Record<Kind, ReadonlyMap<string, unknown>>>;
  readonly file: string;
}

const KINDS: readonly Kind[] = ['cluster', 'user', 'context'];

/** Parses the text of a kubeconfig and records all problems of its outer structure. */
export function parseKubeconfig(text: string, file: string, problems: string[]): KubeconfigFile {
  const fields = new Fields(file, '', parseYaml(text, file, problems), problems);
  const kind = fields.string('kind');
  if (kind !== undefined && kind !== 'Config') fields.problem('kind', 'must be Config');
  const apiVersion = fields.string('apiVersion');
  if (apiVersion !== undefined && apiVersion !== 'v1') fields.problem('apiVersion', 'must be v1');
  const entries = { cluster: new Map(), user: new Map(), context: new Map() } as Record<Kind, Map<string, unknown>>;
  for (const kind of KINDS) {
    for (const [index, item] of fields.list(`${kind}s`).entries()) {
      const entry = new Fields(file, `${kind}s[${index}]`, item, problems);
      const name = entry.string('name');
      if (name === undefined) entry.problem('name', 'is missing');
      else if (entries[kind].has(name)) entry.problem('name', `there is another ${kind} "${name}" in this file`);
      else entries[kind].set(name, entry.raw(kind));
    }
  }
  return { currentContext: fields.string('current-context'), entries, file };
}

/** Merges files. Of two entries with the same name, and of two current contexts, the first counts. */
export function mergeKubeconfigs(files: readonly KubeconfigFile[], problems: string[]): Kubeconfig {
  return {
    currentContext: files.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    entry(kind, name) {
      const found = files.find(({ entries }) => entries[kind].has(name));
      return found && new Fields(found.file, `${kind} "${name}"`, found.entries[kind].get(name), problems);
    },
    names: (kind) => [...new Set(files.flatMap(({ entries }) => [...entries[kind].keys()]))],
  };
}

/**
 * Parses YAML. Only the kind and line of an error are reported: the parser's message quotes the text, which holds
 * secrets.
 */
function parseYaml(text: string, file: string, problems: string[]): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    // Unlike YAML 1.1 itself, kubectl reads dates and times of day (1:30) as text.
    customTags: (tags) => tags.filter((tag) => typeof tag !== 'object' || !isTime(tag)),
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (!error) {
    try {
      return document.toJS();
    } catch {
      problems.push(`${file}: is not valid YAML: aliases cannot be resolved`);
      return undefined;
    }
  }
  const { line } = lines.linePos(error.pos[0]);
  problems.push(`${file}: is not valid YAML: line ${line}: ${error.code.toLowerCase().replaceAll('_', ' ')}`);
  return undefined;
}

function isTime(tag: { readonly tag: string; readonly format?: string }): boolean {
  return tag.tag === 'tag:yaml.org,2002:timestamp' || tag.format === 'TIME';
}
