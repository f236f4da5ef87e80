import { type SimulationScenario, simulationScenario } from '#api/simulation/simulation-scenario';
import { VimanaError } from '#platform/base/errors';
import { formatFieldError } from '#platform/base/field-error';
import { readManifest } from '#platform/kube/manifest';
import { fieldLine } from '#platform/kube/manifest-line';
import { findAdmission } from '#vm/dialects/admitters';
import type { Io } from './io.ts';
import { readTextFile } from './manifest-files.ts';

const admissionOf = findAdmission();

/** Reads the scenario of a file with its defaults. All errors are reported at once, with their lines. */
export function scenarioAt(io: Io, place: string): SimulationScenario {
  const [, file = place, desired] = /^(.*?)#([^#/]*)$/.exec(place) ?? [];
  const text = readTextFile(io, file);
  const { documents, problems } = readManifest(text);
  if (problems.length > 0) {
    throw scenarioRejected(
      file,
      problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
    );
  }
  const found = documents.filter(({ object }) => isScenario(object));
  const named = desired === undefined ? found : found.filter(({ object }) => nameOf(object) === desired);
  const [only, second] = named;
  const names = found.map(({ object }) => nameOf(object)).join(', ');
  if (only === undefined) {
    const which = desired === undefined ? '' : ` "${desired}"${found.length > 0 ? `; it contains ${names}` : ''}`;
    throw new VimanaError('NOT_FOUND', `${file} does not contain a SimulationScenario${which}`, {
      hint: 'JSON files with nodes and VMs are for vimana rebalance. For an example of a scenario, see examples/simulation/day.yaml.',
    });
  }
  if (second !== undefined) {
    throw new VimanaError('REFUSED', `${file} contains several scenarios: ${names}`, {
      hint: `Select one: ${file}#${nameOf(only.object)}`,
    });
  }
  const admit = admissionOf(simulationScenario.apiVersion, simulationScenario.kind);
  if (admit === undefined) throw new Error('admission of SimulationScenarios is missing');
  const { metadata, ...rest } = only.object as { metadata?: object };
  const object = structuredClone({ ...rest, metadata: { namespace: 'default', ...metadata } });
  const user = { name: 'simulate', groups: [] };
  const admitted = admit({ operation: 'CREATE', object, user, lookup: () => undefined });
  const at = (field: string) => `${file}:${fieldLine(text, only.line, field)}`;
  const causes = [
    ...admitted.unknownFields.map((field) => `${at(field)}: unknown field "${field}"`),
    ...admitted.causes.map((cause) => `${at(cause.field)}: ${formatFieldError(cause)}`),
  ];
  if (causes.length > 0) throw scenarioRejected(file, causes);
  for (const warning of admitted.warnings) io.err(`warning: ${warning}\n`);
  return admitted.object as SimulationScenario;
}

function scenarioRejected(file: string, causes: readonly string[]): VimanaError {
  return new VimanaError('REFUSED', `${file} is not valid:${causes.map((cause) => `\n  ${cause}`).join('')}`);
}

function isScenario(object: unknown): boolean {
  const { apiVersion, kind } = (object ?? {}) as Readonly<Record<string, unknown>>;
  return kind === simulationScenario.kind && apiVersion === simulationScenario.apiVersion;
}

const nameOf = (object: unknown) => {
  const { metadata } = (object ?? {}) as { readonly metadata?: { readonly name?: unknown } };
  return typeof metadata?.name === 'string' ? metadata.name : '';
};
