import { DIALECT_NAMES, GROUPS } from '#api/groups';
import { KINDS } from '#api/kinds';
import { resourceTypeFor } from '#api/kubevirt/resources';
import { VimanaError } from '#platform/base/errors';
import type { Client, ResourceType } from '#platform/kube/client';
import { NAMESPACES, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { LEASES, NODES } from '#platform/kube/kinds/node';
import { DEPLOYMENTS } from '#platform/kube/kinds/workloads';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Kind } from '#platform/schema/kind';
import type { InstallDeps, UninstallSettings } from '#programs/cli/install';
import { type Access, accessLines, deniedAccess, whoAmI } from './access.ts';
import { hasActiveOperator, hasOurFinalizer } from './active-operator.ts';
import { getExisting, ifExists, nameOf, objectPath } from './apply.ts';
import { crdFor, isEstablished, kindsOf } from './crds.ts';
import { type DesiredObject, desiredPermissions, INSTALLED, STAGE_OBJECTS } from './desired-objects.ts';
import { foreignObjects } from './namespace-contents.ts';
import { leaders, OF_VIMANA } from './operator-lease.ts';
import { isInstalled, releaseOf } from './release.ts';
import { waitForDeletion } from './wait-for-deletion.ts';
import { withTimeout } from './with-timeout.ts';

interface Removal {
  /** Kinds to delete. Those that VMs run as come last. */
  readonly kinds: readonly Kind[];
  /** Objects that are not required once no group is left. */
  readonly rest: readonly DesiredObject[];
  /** Namespace of the operator's account, if it is deleted too. */
  readonly namespace?: DesiredObject;
  /** Notes on what stays, and why. */
  readonly notes: readonly string[];
}

/** Runs `vimana uninstall`: deletes what `vimana install` creates, and never an object that was not requested. */
export async function uninstall(settings: UninstallSettings, parts: InstallDeps): Promise<void> {
  const { io, client, signal, clock } = parts;
  const { dryRun, withObjects, timeout: ms } = settings;
  await assertPermissions(settings, client);
  const removal = await planRemoval(settings, parts);
  await assertRemovable(removal, settings, parts);
  const said = dryRun ? ' (dry run)' : '';
  if (withObjects) {
    for (const kind of removal.kinds) {
      const objects = await listAll(client, resourceTypeFor(kind), signal);
      for (const object of objects) {
        io.out(`${nameOf({ type: resourceTypeFor(kind), object })} deleted${said}\n`);
      }
      if (!dryRun) await deleteAll(resourceTypeFor(kind), objects, ms, parts);
    }
  }
  const definitions = removal.kinds.map(
    (kind): DesiredObject => ({ type: CUSTOM_RESOURCE_DEFINITIONS, object: crdFor(kind) }),
  );
  // Roles are deleted after the objects that they refer to.
  const gone = [...definitions, ...removal.rest.toReversed()];
  for (const each of gone) {
    if (!dryRun)
      await ignoreNotFound(client.delete(each.type, each.object.metadata.name ?? '', { ...objectPath(each), signal }));
    io.out(`${nameOf(each)} deleted${said}\n`);
  }
  if (!dryRun) {
    const late = () => ({ what: 'CRDs still exist', hint: 'To see why: kubectl get crds -o yaml' });
    const names = new Set(definitions.map(({ object }) => object.metadata.name));
    await withTimeout({ clock, signal, ms, late }, (ended) =>
      waitForDeletion(client, CUSTOM_RESOURCE_DEFINITIONS, ({ metadata }) => names.has(metadata.name), ended),
    );
  }
  const kept = await removeNamespace(removal, settings, parts);
  if (gone.length === 0 && kept !== 'deleted') io.out('Nothing to delete.\n');
  for (const note of removal.notes) io.out(`${note}\n`);
}

/** Deletes the namespace last, and only if it contains no foreign objects. */
async function removeNamespace(
  { kinds, namespace }: Removal,
  { dryRun }: UninstallSettings,
  { io, client, signal }: InstallDeps,
): Promise<'deleted' | 'kept' | undefined> {
  if (namespace === undefined) return undefined;
  const { type, object } = namespace;
  const { name = '', uid = '' } = object.metadata;
  if (!isInstalled(object)) {
    io.out(`${nameOf(namespace)} kept: vimana install did not create it\n`);
    return 'kept';
  }
  const leaving = new Set(kinds.map(({ plural, group }) => `${plural}.${group}`));
  const strangers = await foreignObjects(client, name, leaving, signal);
  if (strangers.length > 0) {
    const more = strangers.length > SHOWN ? ` and ${strangers.length - SHOWN} more` : '';
    io.out(`${nameOf(namespace)} kept: it contains ${strangers.slice(0, SHOWN).join(', ')}${more}\n`);
    return 'kept';
  }
  if (!dryRun) await ignoreNotFound(client.delete(type, name, { preconditions: { uid }, signal }));
  io.out(`${nameOf(namespace)} deleted${dryRun ? ' (dry run)' : ''}\n`);
  return 'deleted';
}

/** Maximum number of foreign objects that are named. */
const SHOWN = 5;

/** Returns which of the requested objects exist. */
async function planRemoval({ dialects }: UninstallSettings, { client, signal }: InstallDeps): Promise<Removal> {
  const there = await Promise.all(
    KINDS.map((kind) => getExisting(client, { type: CUSTOM_RESOURCE_DEFINITIONS, object: crdFor(kind) }, signal)),
  );
  const releases = new Map<Kind, string>();
  const known = KINDS.filter((kind, at) => {
    const definition = there[at];
    if (definition?.metadata.labels?.['app.kubernetes.io/part-of'] !== 'vimana') return false;
    const release = releaseOf(definition);
    if (release !== undefined) releases.set(kind, release);
    return true;
  });
  const ours = known.filter((kind) => !releases.has(kind));
  const groups = new Set<string>(dialects.map((name) => GROUPS[name]));
  const kinds = ours.filter((kind) => groups.has(kind.group) && !isEstablished(kind));
  const left = known.filter((kind) => !kinds.includes(kind) && !isEstablished(kind));
  const notes = [...new Set(releases.values())].map((release) => {
    const count = [...releases.values()].filter((each) => each === release).length;
    return `${count} CRDs kept: delete them with helm uninstall ${release}`;
  });
  const rights = await ownPermissions(client, signal);
  const isOfUsers = ({ object }: DesiredObject) =>
    [...groups].some((group) => object.metadata.name?.startsWith(`${group}:`));
  // The remaining groups require the instances that VMs run as, and the operator's permissions.
  if (left.length > 0) return { kinds, rest: rights.filter((each) => isOfUsers(each) && !isOfInstances(each)), notes };
  const labelSelector = `${INSTALLED.label}=${INSTALLED.value}`;
  const nodes = await client.list(NODES, { labelSelector, signal });
  const stages = await ifExists(client.list(STAGE_OBJECTS, { labelSelector, signal }));
  const namespace = await ownNamespace(client, signal);
  return {
    kinds: [...kinds, ...ours.filter(isEstablished)],
    notes,
    ...(namespace === undefined ? {} : { namespace }),
    rest: [
      ...rights,
      ...(stages?.items ?? []).map((object) => ({ type: STAGE_OBJECTS, object })),
      ...nodes.items.map((object) => ({ type: NODES as ResourceType, object: object as KubeObject })),
    ],
  };
}

const isOfInstances = ({ object }: DesiredObject) => object.metadata.name?.startsWith(`${GROUPS.kubevirt}:`) === true;

/** Returns the existing accounts and roles that belong neither to KubeVirt nor to Helm. */
async function ownPermissions(client: Client, signal: AbortSignal): Promise<DesiredObject[]> {
  const found = await Promise.all(
    desiredPermissions(DIALECT_NAMES)
      .filter(({ type }) => type !== NAMESPACES)
      .map(async (each) => {
        const object = await getExisting(client, each, signal);
        const isOurs = object?.metadata.labels?.['app.kubernetes.io/name'] === 'vimana';
        return object !== undefined && isOurs && releaseOf(object) === undefined ? [each] : [];
      }),
  );
  return found.flat();
}

/** Returns the current namespace of the operator's account, regardless of who created it. */
async function ownNamespace(client: Client, signal: AbortSignal): Promise<DesiredObject | undefined> {
  const desired = desiredPermissions(DIALECT_NAMES).find(({ type }) => type === NAMESPACES);
  const object = desired === undefined ? undefined : await getExisting(client, desired, signal);
  return object === undefined ? undefined : { type: NAMESPACES, object };
}

/** Throws one error with everything that prevents the deletion. */
async function assertRemovable(
  { kinds, rest, namespace }: Removal,
  { withObjects, dryRun, timeout }: UninstallSettings,
  parts: InstallDeps,
): Promise<void> {
  const { client, clock, signal } = parts;
  const problems: string[] = [];
  for (const kind of withObjects ? [] : kinds) {
    const { items, metadata } = await client.list(resourceTypeFor(kind), { limit: 1, signal });
    const count = items.length + (metadata.remainingItemCount ?? 0);
    if (count > 0) problems.push(`${kind.plural}.${kind.group} has ${count} ${count === 1 ? 'object' : 'objects'}`);
  }
  const details = problems.length === 0 ? {} : { hint: '--with-objects deletes them too, in every namespace.' };
  if (kinds.length + rest.length > 0) {
    for (const { holder, lease } of await leaders(client, clock, signal)) {
      problems.push(`the operator ${holder} manages these kinds (it holds the lease ${lease}): stop it first`);
    }
  }
  if (namespace !== undefined) {
    const { items } = await client.list(DEPLOYMENTS, {
      namespace: namespace.object.metadata.name ?? '',
      labelSelector: OF_VIMANA,
      signal,
    });
    const names = items.map(({ metadata }) => metadata.name).join(', ');
    if (names !== '')
      problems.push(
        `${names} is running in ${namespace.object.metadata.name}: kubectl delete -f deploy/operator/, or helm uninstall`,
      );
  }
  // This check comes last, because it writes.
  if (withObjects && !dryRun && problems.length === 0)
    problems.push(...(await unmanagedObjects(kinds, timeout, parts)));
  assertNoProblems(problems, details);
}

/** Reports objects that would terminate forever, since no operator removes their finalizers. */
async function unmanagedObjects(kinds: readonly Kind[], ms: number, parts: InstallDeps): Promise<string[]> {
  const answers = await Promise.all(
    kinds.map(async (kind) => {
      const type = resourceTypeFor(kind);
      const held = (await listAll(parts.client, type, parts.signal)).filter(hasOurFinalizer);
      const [object] = held;
      if (object === undefined || (await hasActiveOperator({ type, object }, ms, parts))) return [];
      const count = `${held.length} ${held.length === 1 ? 'object' : 'objects'}`;
      return [
        `${count} of ${kind.plural}.${kind.group} would not be deleted: no operator responds that could remove their finalizers (bin/vimana operator --webhook-port 0)`,
      ];
    }),
  );
  return answers.flat();
}

/** Throws if we lack permissions for deleting everything, whichever objects exist. */
async function assertPermissions({ dialects, withObjects }: UninstallSettings, client: Client): Promise<void> {
  const needs = new Map<string, Access>();
  const need = (type: ResourceType, verbs: readonly string[], where: { readonly namespace?: string } = {}) => {
    for (const verb of verbs) {
      const access = { verb, group: type.group, resource: type.plural, ...where };
      needs.set(JSON.stringify(access), access);
    }
  };
  need(CUSTOM_RESOURCE_DEFINITIONS, ['get', 'list', 'watch', 'delete']);
  need(NODES, ['list', 'delete']);
  for (const type of [LEASES, SERVICE_ACCOUNTS, DEPLOYMENTS]) need(type, ['list']);
  for (const each of desiredPermissions(DIALECT_NAMES)) need(each.type, ['get', 'delete'], objectPath(each));
  for (const kind of kindsOf(dialects)) {
    need(resourceTypeFor(kind), ['list', ...(withObjects ? ['get', 'watch', 'patch', 'deletecollection'] : [])]);
  }
  const missing = accessLines(await deniedAccess(client, [...needs.values()]));
  if (missing.length === 0) return;
  const who = (await whoAmI(client)) ?? 'this user';
  assertNoProblems([`${who} lacks permission to:`, ...missing.map((line) => `  ${line}`)]);
}

function assertNoProblems(problems: readonly string[], details: { readonly hint?: string } = {}): void {
  if (problems.length === 0) return;
  throw new VimanaError('CANNOT_UNINSTALL', `nothing was changed because\n  ${problems.join('\n  ')}`, details);
}

const listAll = async (client: Client, type: ResourceType, signal: AbortSignal) =>
  (await client.list(type, { signal })).items;

/** Deletes objects and waits until an operator has removed their finalizers. */
async function deleteAll(
  type: ResourceType,
  objects: readonly KubeObject[],
  ms: number,
  { client, clock, signal }: InstallDeps,
): Promise<void> {
  const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace ?? ''));
  for (const namespace of namespaces) await client.deleteCollection(type, { namespace, signal });
  const late = () => ({
    what: `${type.plural}.${type.group} still exist`,
    hint: 'Check that an operator is running: it removes their finalizers.',
  });
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  await withTimeout({ clock, signal, ms, late }, (ended) =>
    waitForDeletion(client, type, ({ metadata }) => uids.has(metadata.uid), ended),
  );
}
