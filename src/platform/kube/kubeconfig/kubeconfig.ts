import { LineCounter, parseDocument } from 'yaml';
import { Fields } from './fields.ts';

type Kind = 'cluster' | 'user' | 'context';

/** The named entries of one or more files, not looked into yet. */
export interface Kubeconfig {
  readonly currentContext: string | undefined;
  entry(kind: Kind, name: string): Fields | undefined;
  /** The names of all entries of the kind, in the order of the files. */
  names(kind: Kind): string[];
}

/** One file, taken apart. */
export interface KubeconfigFile {
  readonly currentContext: string | undefined;
  readonly entries: Readonly<Record<Kind, ReadonlyMap<string, unknown>>>;
  readonly file: string;
}

const KINDS: readonly Kind[] = ['cluster', 'user', 'context'];

/** Reads the text of a kubeconfig, noting all that is wrong with its outer form. */
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

/** Joins files: of two entries with the same name, and of two current contexts, the first counts. */
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

/** Reads YAML. Only the kind and line of an error are told: the parser's own words quote the text, which holds secrets. */
function parseYaml(text: string, file: string, problems: string[]): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    // Unlike YAML 1.1 itself, kubectl takes dates and times of day (1:30) for text.
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
