import { LineCounter, parseAllDocuments, type Tags } from 'yaml';

/** One object of a manifest file and the line it starts at. */
export interface ManifestDocument {
  readonly object: unknown;
  readonly line: number;
}

/** Why a part of a manifest could not be read. */
export interface ManifestProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface Manifest {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly ManifestProblem[];
}

/** Nothing that a person writes comes near these; what does is a mistake or an attack. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
const DEEPEST = 500;
const MOST_ALIASES = 100;

/**
 * Reads YAML or JSON as kubectl does (YAML 1.1: `yes` is true), several documents and Lists included. Nothing throws:
 * what cannot be read is a problem with its place, and the other documents are still there.
 */
export function readManifest(text: string): Manifest {
  if (text.length > MOST_CHARACTERS) return refused(`is larger than ${MOST_CHARACTERS / 1024 / 1024} MiB`);
  const lines = new LineCounter();
  const documents: ManifestDocument[] = [];
  const problems: ManifestProblem[] = [];
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  for (const document of parse(text, lines, problems)) {
    for (const error of document.errors) {
      problems.push({ ...place(error.pos[0]), message: wording(error) });
    }
    const start = document.contents?.range?.[0] ?? 0;
    const line = place(start).line;
    if (document.errors.length > 0 || document.contents === null) continue;
    try {
      const object: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
      if (object === null) continue;
      const unfit = unfitForJson(object);
      if (unfit !== undefined) problems.push({ line, column: 1, message: unfit });
      else for (const item of itemsOf(object)) documents.push({ object: item, line });
    } catch (error) {
      problems.push({ line, column: 1, message: wording(error as Error) });
    }
  }
  return { documents, problems };
}

function parse(text: string, lineCounter: LineCounter, problems: ManifestProblem[]) {
  try {
    const parsed = parseAllDocuments(text, {
      version: '1.1',
      customTags: asKubectlReads,
      lineCounter,
      prettyErrors: false,
      logLevel: 'error',
    });
    return 'empty' in parsed ? [] : parsed;
  } catch (error) {
    problems.push({ line: 1, column: 1, message: wording(error as Error) });
    return [];
  }
}

/** Types of YAML 1.1 that JSON has no word for: kubectl leaves a date, a time or 52:54:00:12:34:56 the text that it is. */
const NOT_OF_JSON = new Set(['timestamp', 'binary', 'omap', 'pairs', 'set'].map((name) => `tag:yaml.org,2002:${name}`));

function asKubectlReads(tags: Tags): Tags {
  const kept = tags.filter((tag) => typeof tag === 'string' || (!NOT_OF_JSON.has(tag.tag) && tag.format !== 'TIME'));
  return [...kept, { tag: 'tag:yaml.org,2002:binary', resolve: unpacked }];
}

function unpacked(base64: string, onError: (message: string) => void): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    onError('!!binary is followed by base64');
    return base64;
  }
}

function refused(message: string): Manifest {
  return { documents: [], problems: [{ line: 1, column: 1, message }] };
}

const TOO_DEEP = `is nested deeper than ${DEEPEST} levels`;

function wording({ message }: Error): string {
  return /call stack|stack overflow/i.test(message) ? TOO_DEEP : (message.split('\n')[0] ?? message);
}

/** A `List` stands for its items, as `kubectl get -o yaml` prints several objects. */
function itemsOf(object: unknown): readonly unknown[] {
  if (typeof object !== 'object' || object === null) return [object];
  const { kind, apiVersion, items } = object as Readonly<Record<string, unknown>>;
  return kind === 'List' && apiVersion === 'v1' && Array.isArray(items) ? items : [object];
}

/** Why JSON cannot hold what YAML could, level by level so that no depth is too much. */
function unfitForJson(root: unknown): string | undefined {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return TOO_DEEP;
    const endless = level.find((value): value is number => typeof value === 'number' && !Number.isFinite(value));
    if (endless !== undefined) return `holds ${endless}, which is no number to JSON`;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return undefined;
}
