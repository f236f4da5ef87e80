import { type SimulationScenario, simulationScenario } from '#api/simulation/simulation-scenario';
import { VimanaError } from '#platform/base/errors';
import { fieldPlaces } from '#platform/kube/field-places';
import { type ManifestDocument, readManifest } from '#platform/kube/manifest';
import { findAdmission } from '#vm/dialects/admitters';
import { describeCauses } from './describe-causes.ts';
import type { Io } from './io.ts';
import { readTextFile } from './manifest-files.ts';
import { isNodeScenarios } from './node-scenarios.ts';

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
    throw new VimanaError(
      'NOT_FOUND',
      `${file} does not contain a SimulationScenario${which}${contentsOf(documents)}`,
      {
        hint: hintFor(documents),
      },
    );
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
  const places = fieldPlaces(text);
  const fieldPlace = (field: string) => {
    const { line, column } = places(only, field);
    return `${file}:${line}:${column}: `;
  };
  const causes = describeCauses(admitted, { ...simulationScenario, place: fieldPlace });
  if (causes.length > 0) throw scenarioRejected(file, causes);
  for (const warning of admitted.warnings) io.err(`warning: ${warning}\n`);
  return admitted.object as SimulationScenario;
}

/** Names what the file contains instead of a scenario. */
function contentsOf(documents: readonly ManifestDocument[]): string {
  const kinds = documents.map(({ object }) => kindOf(object)).filter((kind) => kind !== '');
  const others = [...new Set(kinds)].filter((kind) => kind !== simulationScenario.kind);
  return others.length === 0 ? '' : `, but ${others.join(', ')}`;
}

/** Files without kinds may be those of `vimana rebalance`, which are also called scenarios. */
function hintFor(documents: readonly ManifestDocument[]): string {
  const example = 'For an example, see examples/simulation/day.yaml.';
  const forRebalance = documents.some(({ object }) => isNodeScenarios(object));
  return forRebalance ? `This file lists nodes and VMs, which is a scenario of vimana rebalance. ${example}` : example;
}

function scenarioRejected(file: string, causes: readonly string[]): VimanaError {
  return new VimanaError('REFUSED', `${file} is not valid:${causes.map((cause) => `\n  ${cause}`).join('')}`);
}

function isScenario(object: unknown): boolean {
  const { apiVersion, kind } = (object ?? {}) as Readonly<Record<string, unknown>>;
  return kind === simulationScenario.kind && apiVersion === simulationScenario.apiVersion;
}

function kindOf(object: unknown): string {
  const { kind } = (object ?? {}) as Readonly<Record<string, unknown>>;
  return typeof kind === 'string' ? kind : '';
}

const nameOf = (object: unknown) => {
  const { metadata } = (object ?? {}) as { readonly metadata?: { readonly name?: unknown } };
  return typeof metadata?.name === 'string' ? metadata.name : '';
};
