import { Command } from 'commander';
import { admitterFor } from '../admission/admitters.ts';
import { UsageError } from '../base/errors.ts';
import { formatFieldError } from '../base/field-error.ts';
import { type ManifestDocument, readManifest } from '../kube/manifest.ts';
import type { Io } from './io.ts';

interface Outcome {
  readonly lines: readonly string[];
  readonly refused: boolean;
}

/** `vimana validate FILE...`: what admission would say of manifests, with no cluster at hand. */
export function validateCommand(io: Io): Command {
  return new Command('validate')
    .description('check manifests against every rule of their kinds; needs no cluster')
    .argument('<file...>', 'YAML or JSON files, folders of them, or - for standard input')
    .action((paths: string[]) => {
      const outcomes = paths.flatMap((path) => filesAt(io, path)).flatMap((file) => validateFile(io, file));
      for (const { lines, refused } of outcomes) for (const line of lines) (refused ? io.err : io.out)(`${line}\n`);
      const refused = outcomes.filter((outcome) => outcome.refused).length;
      if (refused > 0) throw new UsageError(`${refused} of ${outcomes.length} objects would be refused`);
    });
}

function filesAt(io: Io, path: string): readonly string[] {
  try {
    return io.manifestsAt(path);
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function validateFile(io: Io, file: string): Outcome[] {
  let text: string;
  try {
    text = io.read(file);
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
  const { documents, problems } = readManifest(text);
  const broken = problems.map(({ line, column, message }) => refuse([`${file}:${line}:${column}: ${message}`]));
  if (documents.length + broken.length === 0) return [refuse([`${file}: holds no object`])];
  return [...broken, ...documents.map((document) => validateDocument(file, document))];
}

function refuse(lines: readonly string[]): Outcome {
  return { lines, refused: true };
}

function validateDocument(file: string, { object, line }: ManifestDocument): Outcome {
  const { apiVersion, kind, metadata } = (object ?? {}) as Readonly<Record<string, unknown>>;
  const name = (metadata as { name?: unknown } | undefined)?.name;
  const title = `${file}:${line}: ${String(kind ?? 'object')} "${String(name ?? '')}"`;
  const admit = admitterFor(String(apiVersion), String(kind));
  if (admit === undefined) {
    return refuse([`${title}: ${String(apiVersion)} ${String(kind)} is no kind of Vimana's (see docs/reference/kinds.md)`]);
  }
  const user = { name: 'validate', groups: [] };
  const { causes, warnings, unknownFields } = admit({ operation: 'CREATE', object, user, lookup: () => undefined });
  const warned = warnings.map((warning) => `  warning: ${warning}`);
  const wrong = [...unknownFields.map((path) => `unknown field "${path}"`), ...causes.map(formatFieldError)];
  if (wrong.length === 0) return { lines: [`${title} is valid`, ...warned], refused: false };
  return refuse([`${title} would be refused:`, ...wrong.map((cause) => `  ${cause}`), ...warned]);
}
