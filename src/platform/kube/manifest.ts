import { LineCounter } from 'yaml';
import { append } from '#platform/base/append';
import { duplicateKeys, jsonOf, type YamlDocument, yamlDocuments, yamlProblem } from './yaml-json.ts';

/** One object of a manifest file, and the first line of its document. */
export interface ManifestDocument {
  readonly object: unknown;
  readonly line: number;
  /** Position in its List, if it is part of one. */
  readonly item?: number;
}

/** Reason why a part of a manifest could not be read. */
export interface ManifestProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface Manifest {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly ManifestProblem[];
}

/** Limit far beyond anything that a person writes. Input that exceeds it is a mistake or an attack. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/**
 * Reads YAML or JSON as kubectl does (YAML 1.1: `yes` is true), including several documents and Lists. It never throws:
 * unreadable parts become problems with their line, and the other documents are still returned.
 */
export function readManifest(text: string): Manifest {
  if (text.length > MAX_CHARACTERS) return unreadableManifest(`is larger than ${MAX_CHARACTERS / 1024 / 1024} MiB`);
  const lines = new LineCounter();
  const documents: ManifestDocument[] = [];
  const problems: ManifestProblem[] = [];
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  let parsed: readonly YamlDocument[];
  try {
    parsed = yamlDocuments(text, lines);
  } catch (error) {
    return unreadableManifest(yamlProblem(error));
  }
  for (const document of parsed) {
    const errors = document.errors.map((error) => ({ ...place(error.pos[0]), message: yamlProblem(error) }));
    const start = document.contents?.range?.[0] ?? 0;
    const line = place(start).line;
    try {
      const twice = duplicateKeys(document).map(({ offset }) => ({ ...place(offset), message: TWICE }));
      append(problems, errors, twice);
      if (errors.length + twice.length > 0 || document.contents === null) continue;
      const object = jsonOf(document);
      if (object === null) continue;
      const items = itemsOf(object);
      if (items === undefined) documents.push({ object, line });
      else
        append(
          documents,
          items.map((each, item) => ({ object: each, line, item })),
        );
    } catch (error) {
      problems.push({ line, column: 1, message: yamlProblem(error) });
    }
  }
  return { documents, problems };
}

const TWICE = 'Map keys must be unique';

function unreadableManifest(message: string): Manifest {
  return { documents: [], problems: [{ line: 1, column: 1, message }] };
}

/** Returns the items of a `List`, as `kubectl get -o yaml` prints several objects, or undefined for other objects. */
function itemsOf(object: unknown): readonly unknown[] | undefined {
  if (typeof object !== 'object' || object === null) return undefined;
  const { kind, apiVersion, items } = object as Readonly<Record<string, unknown>>;
  return kind === 'List' && apiVersion === 'v1' && Array.isArray(items) ? items : undefined;
}
