import { LineCounter, parseAllDocuments } from 'yaml';

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
      problems.push({ ...place(error.pos[0]), message: firstLine(error.message) });
    }
    const start = document.contents?.range?.[0] ?? 0;
    const line = place(start).line;
    if (document.errors.length > 0 || document.contents === null) continue;
    try {
      const object: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
      if (object === null) continue;
      if (deeperThan(DEEPEST, object))
        problems.push({ line, column: 1, message: `is nested deeper than ${DEEPEST} levels` });
      else for (const item of itemsOf(object)) documents.push({ object: item, line });
    } catch (error) {
      problems.push({ line, column: 1, message: firstLine((error as Error).message) });
    }
  }
  return { documents, problems };
}

function parse(text: string, lineCounter: LineCounter, problems: ManifestProblem[]) {
  try {
    const parsed = parseAllDocuments(text, { version: '1.1', lineCounter, prettyErrors: false });
    return 'empty' in parsed ? [] : parsed;
  } catch (error) {
    problems.push({ line: 1, column: 1, message: firstLine((error as Error).message) });
    return [];
  }
}

function refused(message: string): Manifest {
  return { documents: [], problems: [{ line: 1, column: 1, message }] };
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? message;
}

/** A `List` stands for its items, as `kubectl get -o yaml` prints several objects. */
function itemsOf(object: unknown): readonly unknown[] {
  if (typeof object !== 'object' || object === null) return [object];
  const { kind, apiVersion, items } = object as Readonly<Record<string, unknown>>;
  return kind === 'List' && apiVersion === 'v1' && Array.isArray(items) ? items : [object];
}

function deeperThan(limit: number, root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
}
