import type { Command } from 'commander';
import { KINDS } from '#api/kinds';
import { readScenarios } from '#fleet/rebalance/read-scenarios';
import { UsageError, VimanaError } from '#platform/base/errors';
import { formatFieldError } from '#platform/base/field-error';
import { similarWord } from '#platform/base/similar-word';
import { type FieldPlaces, fieldPlaces } from '#platform/kube/field-places';
import { type ManifestDocument, readManifest } from '#platform/kube/manifest';
import type { Kind } from '#platform/schema/kind';
import type { Lookup } from '#vm/admission/admitter';
import { findAdmission } from '#vm/dialects/admitters';
import { CheckedCommand } from './checked-command.ts';
import { describeCauses } from './describe-causes.ts';
import type { Io } from './io.ts';
import { manifestFiles, readTextFile } from './manifest-files.ts';
import { isNodeScenarios } from './node-scenarios.ts';
import { VM_GROUPS } from './vm-groups.ts';

/** A manifest in a file is checked as a user's, regardless of who runs the operator. */
const admissionOf = findAdmission();

interface Outcome {
  readonly lines: readonly string[];
  readonly verdict: 'valid' | 'refused' | 'skipped';
}

interface Found extends ManifestDocument {
  readonly file: string;
  readonly places: FieldPlaces;
}

/** Builds `vimana validate FILE...`, which checks manifests against admission without a cluster. */
export function validateCommand(io: Io): Command {
  return new CheckedCommand('validate')
    .description('validate manifests against all rules of their kinds, without a cluster')
    .argument('[file...]', 'YAML or JSON files, directories of them, or - for standard input')
    .option('-f, --filename <file...>', 'files and directories, as for kubectl')
    .action((words: string[], { filename = [] }: { filename?: string[] }) => {
      const paths = [...words, ...filename];
      if (paths.length === 0) throw new UsageError('no file given', { hint: 'See: vimana validate --help' });
      const files = paths.flatMap((path) => manifestFiles(io, path)).map((file) => ({ file, ...readFile(io, file) }));
      const found = files.flatMap(({ file, documents, places }) =>
        documents.map((document) => ({ ...document, file, places })),
      );
      const lookup = lookupIn(found);
      const outcomes = [
        ...files.flatMap(({ broken }) => broken),
        ...found.map((document) => validateDocument(document, lookup)),
      ];
      for (const { lines, verdict } of outcomes) {
        for (const line of lines) (verdict === 'refused' ? io.err : io.out)(`${line}\n`);
      }
      const rejected = outcomes.filter(({ verdict }) => verdict === 'refused').length;
      if (rejected > 0) throw new VimanaError('REFUSED', `${rejected} of ${outcomes.length} objects are not valid`);
    });
}

interface ReadFile {
  readonly documents: readonly ManifestDocument[];
  readonly places: FieldPlaces;
  readonly broken: readonly Outcome[];
}

function readFile(io: Io, file: string): ReadFile {
  const text = readTextFile(io, file);
  const { documents, problems } = readManifest(text);
  const broken = problems.map(({ line, column, message }) => refuse([`${file}:${line}:${column}: ${message}`]));
  const nothing = documents.length + broken.length === 0 ? [refuse([`${file}: contains no object`])] : [];
  return { documents, places: fieldPlaces(text), broken: [...broken, ...nothing] };
}

function refuse(lines: readonly string[]): Outcome {
  return { lines, verdict: 'refused' };
}

/** Identity that an object claims, whatever else is wrong with it. */
interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

function namesOf(object: unknown): Named {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const { apiVersion, kind, metadata } = (object ?? {}) as Readonly<Record<string, unknown>>;
  const { name, namespace } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return {
    apiVersion: text(apiVersion),
    kind: text(kind),
    name: text(name),
    namespace: text(namespace) || DEFAULT_NAMESPACE,
  };
}

/** Resolves references among the given objects, as a cluster would after all of them are applied. */
function lookupIn(found: readonly Found[]): Lookup {
  const keyOf = (group: string, kind: string, namespace: string, name: string) =>
    [group, kind, namespace, name].join(' ');
  const objects = new Map<string, unknown>();
  for (const { object } of found) {
    const { apiVersion, kind, namespace, name } = namesOf(object);
    objects.set(keyOf(apiVersion.split('/')[0] ?? '', kind, namespace, name), object);
  }
  return ((kind: Kind, namespace: string, name: string) => {
    const found = objects.get(keyOf(kind.group, kind.kind, namespace, name));
    return found === undefined ? undefined : storedForm(found as object);
  }) as Lookup;
}

/**
 * Returns an object as a cluster would store it. Returns undefined if it would be rejected, which is reported
 * separately.
 */
function storedForm(object: object): unknown {
  const { apiVersion, kind } = namesOf(object);
  const request = { operation: 'CREATE', user: { name: 'validate', groups: [] }, lookup: () => undefined } as const;
  const admitted = admissionOf(apiVersion, kind)?.({ ...request, object: inNamespace(object) });
  return admitted?.causes.length === 0 ? admitted.object : undefined;
}

const DEFAULT_NAMESPACE = 'default';

function validateDocument(found: Found, lookup: Lookup): Outcome {
  const { object } = found;
  const { apiVersion, kind, name } = namesOf(object);
  const title = `${placeOf(found)}: ${kind || 'object'} "${name}"`;
  if (isNodeScenarios(object)) return validateScenarios(found, object);
  const admit = admissionOf(apiVersion, kind);
  if (admit === undefined) return foreign(title, found);
  const placed = inNamespace(object as object);
  const user = { name: 'validate', groups: [] };
  const verdict = admit({ operation: 'CREATE', object: placed, user, lookup });
  const warned = verdict.warnings.map((warning) => `  warning: ${warning}`);
  const wrong = describeCauses(verdict, { apiVersion, kind, place: (field) => `${placeOf(found, field)}: ` });
  if (wrong.length === 0) return { lines: [`${title} is valid`, ...warned], verdict: 'valid' };
  return refuse([`${title} is not valid:`, ...wrong.map((cause) => `  ${cause}`), ...warned]);
}

/** Returns the place of an object, or of one of its fields with the column, as editors open it. */
function placeOf({ file, places, ...document }: Found, field?: string): string {
  if (field === undefined && document.item === undefined) return `${file}:${document.line}`;
  const { line, column } = places(document, field ?? '');
  return field === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

function validateScenarios(found: Found, object: Readonly<Record<string, readonly unknown[]>>): Outcome {
  const title = `${placeOf(found)}: scenarios ${Object.keys(object).join(', ')}`;
  const { causes } = readScenarios(object);
  if (causes.length === 0) return { lines: [`${title} are valid`], verdict: 'valid' };
  const wrong = causes.map((cause) => `  ${placeOf(found, cause.field)}: ${formatFieldError(cause)}`);
  return refuse([`${title} are not valid:`, ...wrong]);
}

/** Skips objects of foreign kinds. Only an unknown kind of a Vimana group is an error. */
function foreign(title: string, found: Found): Outcome {
  const { apiVersion, kind } = namesOf(found.object);
  if (apiVersion === '' || kind === '')
    return refuse([`${title} is not valid:`, '  it must be an object with apiVersion and kind']);
  const ours = KINDS.filter(({ group }) => apiVersion.startsWith(`${group}/`));
  const group = apiVersion.split('/')[0] ?? '';
  if (ours.length === 0) {
    const meant = similarWord(group, VM_GROUPS);
    const question = meant === undefined ? '' : `; did you mean ${meant}?`;
    return { lines: [`${title} skipped: ${apiVersion} is not a group of Vimana${question}`], verdict: 'skipped' };
  }
  const known = ours.map((each) => `${each.apiVersion} ${each.kind}`);
  const meant = similarWord(`${apiVersion} ${kind}`, known);
  const question = meant === undefined ? '' : `; did you mean ${meant}?`;
  const place = placeOf(found, ours.some((each) => each.kind === kind) ? 'apiVersion' : 'kind');
  return refuse([
    `${title} is not valid:`,
    `  ${place}: unknown kind ${apiVersion} ${kind}${question || `; known kinds are ${known.join(', ')}`}`,
  ]);
}

function inNamespace(object: { readonly metadata?: unknown }): object {
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null) return structuredClone(object);
  return structuredClone({ ...object, metadata: { namespace: DEFAULT_NAMESPACE, ...metadata } });
}
