import { type DialectName, GROUPS } from '#api/groups';
import { VimanaError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { NODES } from '#platform/kube/kinds/node';
import { ignoreNotFound, isForbidden, KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { InstallDeps, InstallSettings } from '#programs/cli/install';
import { whoAmI } from './access.ts';
import { apply, getExisting, nameOf, objectPath } from './apply.ts';
import {
  type DesiredObject,
  desiredCrds,
  desiredExamples,
  desiredNodes,
  desiredPermissions,
  desiredStages,
  STAGE_OBJECTS,
} from './desired-objects.ts';
import { nodePools } from './node-pools.ts';
import { missingPermissions } from './permissions.ts';
import { planVmShortName } from './plan-vm-short-name.ts';
import { isInstalled } from './release.ts';

/** Objects of an installation in the order in which they are applied, and the state of the cluster. */
export interface Plan {
  readonly definitions: readonly DesiredObject[];
  readonly permissions: readonly DesiredObject[];
  readonly nodes: readonly DesiredObject[];
  readonly examples: readonly DesiredObject[];
  /** Groups that are ours to install here. */
  readonly dialects: readonly DialectName[];
  /** Group that the short name `vm` means. */
  readonly vmShortName: string;
  readonly before: ReadonlyMap<DesiredObject, KubeObject>;
  /** Notes for the user that require no action. */
  readonly notes: readonly string[];
}

/** Oldest Kubernetes whose API server supports everything that our CRDs use. */
const MIN_VERSION = { major: 1, minor: 30 };

/** Checks that everything can be done before anything is. Throws one error with all problems. */
export async function planInstall(settings: InstallSettings, parts: InstallDeps): Promise<Plan> {
  const { client, namespace, signal } = parts;
  const problems = await versionProblems(client, signal);
  const notes: string[] = [];
  const look = existenceCheck(client, signal);

  const isKubevirt = await look(CUSTOM_RESOURCE_DEFINITIONS, 'kubevirts.kubevirt.io');
  const dialects = settings.dialects.filter((name) => !(isKubevirt && name === 'kubevirt'));
  if (isKubevirt && dialects.length === 0) problems.push(`${ITSELF}: choose other groups with --dialects`);
  else if (isKubevirt) notes.push(`${ITSELF}: its CRDs and roles are not changed.`);
  const isIts = ({ object }: DesiredObject) =>
    isKubevirt && /(?:^|\.)kubevirt\.io(?::|$)/.test(object.metadata.name ?? '');

  const named = await ignoreForbidden(client.list(CUSTOM_RESOURCE_DEFINITIONS, { signal }));
  const shortName = planVmShortName(named?.items ?? [], dialects, settings.vmShortName);
  notes.push(...shortName.notes);

  const pools = nodePools(settings.nodes, settings);
  const nodes = desiredNodes(pools);
  const hasStages =
    nodes.length > 0 && (await look(CUSTOM_RESOURCE_DEFINITIONS, `${STAGE_OBJECTS.plural}.${STAGE_OBJECTS.group}`));
  if (nodes.length > 0 && !hasStages) notes.push(WITHOUT_KWOK);
  const desired = {
    definitions: [...desiredCrds(dialects, shortName.group), ...shortName.withheld].filter((each) => !isIts(each)),
    rights: desiredPermissions(dialects).filter((each) => !isIts(each)),
    nodes: [...nodes, ...(hasStages ? desiredStages() : [])],
    examples: settings.examples ? desiredExamples(dialects, namespace) : [],
  };
  const all = Object.values(desired).flat();

  const missing = await missingPermissions(client, all);
  if (missing.length > 0) {
    const who = (await whoAmI(client)) ?? 'This user';
    problems.push(`${who} lacks permission to:`, ...missing.map((line) => `  ${line}`));
  }
  if (settings.examples && (await isMissing(client, namespace, signal))) {
    problems.push(`namespace "${namespace}" for the examples not found: kubectl create namespace ${namespace}`);
  }
  const before = await existingObjects(client, all, signal);
  problems.push(...foreign(before));
  // A namespace that another owner created stays theirs, since uninstall would otherwise delete it.
  const isTheirs = (each: DesiredObject, was = before.get(each)) =>
    each.type === NAMESPACES && was !== undefined && !isInstalled(was);
  const permissions = desired.rights.filter((each) => !isTheirs(each));
  if (problems.length === 0) {
    const { examples, ...applied } = { ...desired, rights: permissions };
    const fresh = examples.filter((each) => !before.has(each));
    problems.push(...(await refusals([...Object.values(applied).flat(), ...fresh], before, settings, parts)));
  }
  if (problems.length > 0) throw installRejected(problems);
  return { ...desired, permissions, dialects, vmShortName: shortName.group, before, notes };
}

const ITSELF = 'KubeVirt itself is installed (kubevirts.kubevirt.io exists)';
const WITHOUT_KWOK =
  'stages.kwok.x-k8s.io not found: the nodes stay NotReady until KWOK manages them (vimana nodes --print prints Stages for its configuration).';

function installRejected(problems: readonly string[]): VimanaError {
  const isConflict = problems.some((line) => line.includes('conflict with "'));
  const hint = isConflict ? '\n--force-conflicts takes over fields that others own.' : '';
  return new VimanaError('CANNOT_INSTALL', `nothing was changed because\n  ${problems.join('\n  ')}`, {
    hint: `Fix this, and try again.${hint}`,
  });
}

async function versionProblems(client: Client, signal: AbortSignal): Promise<string[]> {
  const { major = '', minor = '', gitVersion = '' } = JSON.parse(await client.raw('/version', { signal })) as Version;
  // Some servers report 30+.
  const [at, of] = [Number.parseInt(major, 10), Number.parseInt(minor, 10)];
  if (at > MIN_VERSION.major || (at === MIN_VERSION.major && of >= MIN_VERSION.minor)) return [];
  return [`the server is Kubernetes ${gitVersion}, but ${MIN_VERSION.major}.${MIN_VERSION.minor} or later is required`];
}

interface Version {
  readonly major?: string;
  readonly minor?: string;
  readonly gitVersion?: string;
}

/**
 * Returns a function that reports whether an object exists. Unreadable objects count as absent, because the missing
 * permission is reported already.
 */
function existenceCheck(client: Client, signal: AbortSignal) {
  return async (type: DesiredObject['type'], name: string): Promise<boolean> =>
    (await ignoreForbidden(ignoreNotFound(client.get(type, name, { signal })))) !== undefined;
}

/** Reports whether a namespace is known to be missing. One that we may not read may exist. */
async function isMissing(client: Client, namespace: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await ignoreNotFound(client.get(NAMESPACES, namespace, { signal }))) === undefined;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

async function ignoreForbidden<T>(response: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** Returns those of the objects that exist. */
async function existingObjects(
  client: Client,
  all: readonly DesiredObject[],
  signal: AbortSignal,
): Promise<Map<DesiredObject, KubeObject>> {
  const hasNodes = all.some(({ type }) => type === NODES);
  const list = hasNodes ? await ignoreForbidden(client.list(NODES, { signal })) : undefined;
  const nodes = new Map((list?.items ?? []).map((node) => [node.metadata.name, node]));
  const objects = await Promise.all(
    all.map(async (each) =>
      each.type === NODES ? nodes.get(each.object.metadata.name) : ignoreForbidden(getExisting(client, each, signal)),
    ),
  );
  return new Map(all.flatMap((each, at) => (objects[at] === undefined ? [] : [[each, objects[at]]])));
}

/** Reports objects with our names that belong to another owner. */
function foreign(before: ReadonlyMap<DesiredObject, KubeObject>): string[] {
  return [...before].flatMap(([desired, { metadata }]) => {
    const { labels = {}, annotations = {}, name = '' } = metadata;
    if (desired.type === CUSTOM_RESOURCE_DEFINITIONS && labels['app.kubernetes.io/part-of'] !== 'vimana') {
      const dialect = Object.entries(GROUPS).find(([, group]) => name.endsWith(`.${group}`))?.[0];
      return [`${name} belongs to another product: omit ${dialect} with --dialects`];
    }
    if (desired.type !== NODES) return [];
    if (labels['vimana.io/runtime'] !== undefined) {
      return [`the node ${name} belongs to vimana up or vimana node: choose other names with --node-prefix`];
    }
    if (annotations['kwok.x-k8s.io/node'] === undefined) {
      return [`the node ${name} is a real node: choose other names with --node-prefix`];
    }
    return [];
  });
}

/**
 * Returns the reasons for which the server would reject objects. Objects whose namespace or kind is still to be created
 * cannot be checked yet.
 */
async function refusals(
  all: readonly DesiredObject[],
  before: ReadonlyMap<DesiredObject, KubeObject>,
  { forceConflicts: force }: InstallSettings,
  { client, signal }: InstallDeps,
): Promise<string[]> {
  const requested = all.filter((each) => before.has(each) || ![NODES, STAGE_OBJECTS].includes(each.type));
  const answers = await Promise.all(
    requested.map(async (each): Promise<string | undefined> => {
      if (objectPath(each).namespace !== undefined && !before.has(each)) return undefined;
      try {
        await apply(client, each, before.get(each), { dryRun: true, force, signal });
        return undefined;
      } catch (error) {
        // A binding may refer to a role that is still to be created.
        if (!(error instanceof KubeError) || error.code === 404) return undefined;
        return `${nameOf(each)}: ${error.message}`;
      }
    }),
  );
  return answers.filter((response) => response !== undefined);
}
