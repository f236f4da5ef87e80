import { append } from '#platform/base/append';
import { index } from '#platform/base/field-error';
import { dns1123LabelProblems } from '#platform/base/names';
import { tryParseQuantity } from '#platform/base/quantity';
import type { KubeMeta } from '#platform/kube/kube-object';
import { repeats } from '../by-name.ts';
import { deprecatedLabel } from '../deprecated-labels.ts';
import { placementWarnings } from './placement-warnings.ts';
import type { Container, PodSpec, PodTemplate, Volume } from './pod-spec.ts';

const VOLUMES: Readonly<Record<string, string>> = {
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
};

/** Returns warnings for a pod spec. `field` is that of the spec. */
export function podWarnings(field: string, spec: PodSpec = {}): string[] {
  const all = (['containers', 'initContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, i) => ({ at: index(`${field}.${list}`, i), container })),
  );
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((name) => {
      const said = deprecatedLabel(name);
      return said === undefined ? [] : [`${field}.nodeSelector[${name}]: ${said}`];
    }),
    ...placementWarnings(field, spec),
    ...(spec.volumes ?? []).flatMap((volume, i) => volumeWarnings(index(`${field}.volumes`, i), volume)),
    ...duplicates(
      field,
      'hostAliases',
      'ip',
      (spec.hostAliases ?? []).map(({ ip = '' }) => ip),
    ),
    ...(spec.imagePullSecrets ?? []).flatMap(({ name = '' }, i) =>
      name === '' ? [`${index(`${field}.imagePullSecrets`, i)}.name: invalid empty name ""`] : [],
    ),
    ...duplicates(
      field,
      'imagePullSecrets',
      'name',
      (spec.imagePullSecrets ?? []).map(({ name = '' }) => name),
    ),
    ...all.flatMap(({ at, container }) => containerWarnings(at, container)),
    ...portWarnings(
      [...all].sort((a, b) => Number(b.at.includes('.initContainers')) - Number(a.at.includes('.initContainers'))),
    ),
  ];
}

/** Returns warnings for a kind that creates pods: a name with dots cannot be a hostname. */
export function podMakerWarnings(
  { name = '', generation }: KubeMeta,
  field: string,
  template: PodTemplate | undefined,
  old: { readonly metadata: KubeMeta } | undefined,
  named = true,
): string[] {
  if (old !== undefined && old.metadata.generation === generation) return [];
  const problems = old === undefined && named && name !== '' ? dns1123LabelProblems(name) : [];
  const detail =
    'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [
    ...(problems.length > 0 ? [`metadata.name: ${detail}: [${problems.join(' ')}]`] : []),
    ...podWarnings(`${field}.spec`, template?.spec),
  ];
}

/** Returns warnings that apply only to pods themselves. */
export function podMetaWarnings({ name = '', annotations = {} }: KubeMeta): string[] {
  const problems = name === '' ? [] : dns1123LabelProblems(name);
  const detail =
    "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [
    ...(problems.length > 0 ? [`metadata.name: ${detail}: [${problems.join(' ')}]`] : []),
    ...Object.keys(annotations).flatMap((key) => {
      if (key.startsWith('container.apparmor.security.beta.kubernetes.io/')) {
        return [`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`];
      }
      const seccomp = /^(container\.)?seccomp\.security\.alpha\.kubernetes\.io\//.test(key);
      return seccomp
        ? [`metadata.annotations[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`]
        : [];
    }),
  ];
}

function duplicates(field: string, list: string, what: string, values: readonly string[]): string[] {
  const again = repeats(values);
  return values.flatMap((value, i) =>
    value !== '' && again[i] === true ? [`${index(`${field}.${list}`, i)}.${what}: duplicate ${what} "${value}"`] : [],
  );
}

function volumeWarnings(field: string, volume: Volume): string[] {
  const warnings = Object.keys(volume).flatMap((source) =>
    VOLUMES[source] === undefined ? [] : [`${field}.${source}: ${VOLUMES[source]}`],
  );
  const { name = '', projected } = volume;
  if (projected?.sources?.some((source) => Object.keys(source).length === 0) === true) {
    warnings.push(`volume "${name}" (Projected) has no sources provided`);
  }
  return warnings;
}

function containerWarnings(field: string, { resources = {}, env = [] }: Container): string[] {
  const warnings: string[] = [];
  for (const list of ['limits', 'requests'] as const) {
    for (const name of ['memory', 'ephemeral-storage']) {
      const amount = resources[list]?.[name];
      if (amount !== undefined) append(warnings, fractionWarnings(`${field}.resources.${list}[${name}]`, amount));
    }
  }
  const seen = new Map<string, number>();
  for (const [i, { name = '', value = '' }] of env.entries()) {
    // A variable that refers to the earlier one does not hide it.
    if (seen.has(name) && !value.includes(`$(${name})`)) {
      warnings.push(
        `${field}.env[${i}]: hides previous definition of "${name}", which may be dropped when using apply`,
      );
    }
    seen.set(name, i);
  }
  return warnings;
}

/** Warns of fractions of a byte. */
export function fractionWarnings(field: string, amount: string): string[] {
  if ((tryParseQuantity(amount)?.nano ?? 0n) % 1_000_000_000n === 0n) return [];
  return [`${field}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
}

function portWarnings(all: readonly { at: string; container: Container }[]): string[] {
  const seen = new Map<string, string>();
  return all.flatMap(({ at, container }) =>
    (container.ports ?? []).flatMap(({ containerPort, protocol, hostPort = 0, hostIP = '' }, i) => {
      const here = index(`${at}.ports`, i);
      const key = `${containerPort}/${protocol}/${hostPort}/${hostIP}`;
      const there = seen.get(key);
      if (there !== undefined) return [`${here}: duplicate port definition with ${there}`];
      seen.set(key, here);
      return [];
    }),
  );
}
