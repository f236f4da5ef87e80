import type { Kind } from '../api/kind.ts';
import { KINDS } from '../api/kinds.ts';
import { VimanaError } from '../base/errors.ts';
import type { InstallParts, UninstallSettings } from '../cli/install.ts';
import { DIALECT_NAMES } from '../cli/up.ts';
import type { Client, ResourceType } from '../kube/client.ts';
import { NAMESPACES } from '../kube/kinds/core.ts';
import { resourceOfKind } from '../kube/kinds/machines.ts';
import { NODES } from '../kube/kinds/node.ts';
import { DEPLOYMENTS } from '../kube/kinds/workloads.ts';
import { ifFound, isGone } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/kube-object.ts';
import { type Access, accessLines, denied, ownName } from './access.ts';
import { ifThere, nameOf, placeOf, present } from './apply.ts';
import { DEFINITIONS, definitionOf, GROUPS, isRunning, kindsOf } from './definitions.ts';
import { INSTALLED, STAGE_OBJECTS, type Wanted, wantedRights } from './wanted.ts';
import { within } from './within.ts';

interface Removal {
  /** The kinds that go, those that machines run as last. */
  readonly kinds: readonly Kind[];
  /** What nobody needs when no group is left. */
  readonly rest: readonly Wanted[];
}

/** `vimana uninstall`: takes away what `vimana install` brings, and never an object that it was not told to. */
export async function uninstall(settings: UninstallSettings, parts: InstallParts): Promise<void> {
  const { io, client, signal, clock } = parts;
  const { dryRun, withObjects, timeout: ms } = settings;
  await refuseWithoutRights(settings, client);
  const removal = await removalOf(settings, parts);
  await refuseWhatIsInTheWay(removal, settings, parts);
  const said = dryRun ? ' (dry run)' : '';
  if (withObjects) {
    for (const kind of removal.kinds) {
      const objects = await all(client, resourceOfKind(kind), signal);
      for (const object of objects) {
        io.out(`${nameOf({ type: resourceOfKind(kind), object })} deleted${said}\n`);
      }
      if (!dryRun) await deleteAll(resourceOfKind(kind), objects, ms, parts);
    }
  }
  const definitions = removal.kinds.map((kind): Wanted => ({ type: DEFINITIONS, object: definitionOf(kind) }));
  // Roles go after what they speak of, and the namespace last.
  const gone = [...definitions, ...removal.rest.toReversed()];
  for (const each of gone) {
    if (!dryRun) await ifFound(client.delete(each.type, each.object.metadata.name ?? '', { ...placeOf(each), signal }));
    io.out(`${nameOf(each)} deleted${said}\n`);
  }
  if (gone.length === 0) io.out('There is nothing to take away.\n');
  if (dryRun) return;
  const late = () => ({ what: 'definitions are still there', hint: 'See why with: kubectl get crds -o yaml' });
  const names = new Set(definitions.map(({ object }) => object.metadata.name));
  await within({ clock, signal, ms, late }, (ended) =>
    untilGone(client, DEFINITIONS, ({ metadata }) => names.has(metadata.name), ended),
  );
}

/** What is there of all that was asked for. */
async function removalOf({ dialects }: UninstallSettings, { client, signal }: InstallParts): Promise<Removal> {
  const there = await Promise.all(
    KINDS.map(async (kind) => {
      const definition = await present(client, { type: DEFINITIONS, object: definitionOf(kind) }, signal);
      return definition?.metadata.labels?.['app.kubernetes.io/part-of'] === 'vimana';
    }),
  );
  const ours = KINDS.filter((_, at) => there[at]);
  const groups = new Set(dialects.map((name) => GROUPS[name]));
  const left = ours.filter((kind) => !groups.has(kind.group) && !isRunning(kind));
  const kinds = ours.filter((kind) => groups.has(kind.group) && !isRunning(kind));
  const rights = await ownRights(client, signal);
  const isOfUsers = ({ object }: Wanted) => [...groups].some((group) => object.metadata.name?.startsWith(`${group}:`));
  // What is left needs the instances that machines run as, and the operator's rights.
  if (left.length > 0) return { kinds, rest: rights.filter((each) => isOfUsers(each) && !isOfInstances(each)) };
  const labelSelector = `${INSTALLED.label}=${INSTALLED.value}`;
  const nodes = await client.list(NODES, { labelSelector, signal });
  const stages = await ifThere(client.list(STAGE_OBJECTS, { labelSelector, signal }));
  return {
    kinds: [...kinds, ...ours.filter(isRunning)],
    rest: [
      ...rights,
      ...(stages?.items ?? []).map((object) => ({ type: STAGE_OBJECTS, object })),
      ...nodes.items.map((object) => ({ type: NODES as ResourceType, object: object as KubeObject })),
    ],
  };
}

const isOfInstances = ({ object }: Wanted) => object.metadata.name?.startsWith(`${GROUPS.kubevirt}:`) === true;

/** The accounts and roles that are there and neither KubeVirt's own nor Helm's to take away. */
async function ownRights(client: Client, signal: AbortSignal): Promise<Wanted[]> {
  const found = await Promise.all(
    wantedRights(DIALECT_NAMES).map(async (each) => {
      const labels = (await present(client, each, signal))?.metadata.labels;
      const isOurs = each.type === NAMESPACES || labels?.['app.kubernetes.io/name'] === 'vimana';
      return labels !== undefined && isOurs && labels['app.kubernetes.io/managed-by'] !== 'Helm' ? [each] : [];
    }),
  );
  return found.flat();
}

/** Throws one error that names everything because of which nothing is done. */
async function refuseWhatIsInTheWay(
  { kinds, rest }: Removal,
  { withObjects }: UninstallSettings,
  { client, signal }: InstallParts,
): Promise<void> {
  const problems: string[] = [];
  for (const kind of withObjects ? [] : kinds) {
    const { items, metadata } = await client.list(resourceOfKind(kind), { limit: 1, signal });
    const count = items.length + (metadata.remainingItemCount ?? 0);
    if (count > 0) problems.push(`${kind.plural}.${kind.group} has ${count} ${count === 1 ? 'object' : 'objects'}`);
  }
  const details = problems.length === 0 ? {} : { hint: '--with-objects deletes them too, in every namespace.' };
  for (const { object } of rest.filter(({ type }) => type.plural === NAMESPACES.plural)) {
    const namespace = object.metadata.name ?? '';
    const { items } = await client.list(DEPLOYMENTS, { namespace, signal });
    const names = items.map(({ metadata }) => metadata.name).join(', ');
    if (names !== '')
      problems.push(`${names} runs in ${namespace}: kubectl delete -f deploy/operator/, or helm uninstall`);
  }
  refuse(problems, details);
}

/** What taking everything away takes, whatever of it is there. */
async function refuseWithoutRights({ dialects, withObjects }: UninstallSettings, client: Client): Promise<void> {
  const needs = new Map<string, Access>();
  const need = (type: ResourceType, verbs: readonly string[], where: { readonly namespace?: string } = {}) => {
    for (const verb of verbs) {
      const access = { verb, group: type.group, resource: type.plural, ...where };
      needs.set(JSON.stringify(access), access);
    }
  };
  need(DEFINITIONS, ['get', 'list', 'watch', 'delete']);
  need(NODES, ['list', 'delete']);
  for (const each of wantedRights(DIALECT_NAMES)) need(each.type, ['get', 'delete'], placeOf(each));
  for (const kind of kindsOf(dialects)) {
    need(resourceOfKind(kind), ['list', ...(withObjects ? ['watch', 'deletecollection'] : [])]);
  }
  const missing = accessLines(await denied(client, [...needs.values()]));
  if (missing.length === 0) return;
  const who = (await ownName(client)) ?? 'this user';
  refuse([`${who} may not:`, ...missing.map((line) => `  ${line}`)]);
}

function refuse(problems: readonly string[], details: { readonly hint?: string } = {}): void {
  if (problems.length === 0) return;
  throw new VimanaError('CANNOT_UNINSTALL', `nothing was changed, because\n  ${problems.join('\n  ')}`, details);
}

const all = async (client: Client, type: ResourceType, signal: AbortSignal) =>
  (await client.list(type, { signal })).items;

/** Deletes objects and waits until their finalizers are off, which is the work of an operator. */
async function deleteAll(
  type: ResourceType,
  objects: readonly KubeObject[],
  ms: number,
  { client, clock, signal }: InstallParts,
): Promise<void> {
  const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace ?? ''));
  for (const namespace of namespaces) await client.deleteCollection(type, { namespace, signal });
  const late = () => ({
    what: `${type.plural}.${type.group} are still there`,
    hint: 'An operator takes off their finalizers: does one run?',
  });
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  await within({ clock, signal, ms, late }, (ended) =>
    untilGone(client, type, ({ metadata }) => uids.has(metadata.uid), ended),
  );
}

/** Waits by a watch until none of the objects that are meant is there. */
async function untilGone(
  client: Client,
  type: ResourceType,
  isMeant: (object: KubeObject) => boolean,
  signal: AbortSignal,
) {
  for (;;) {
    signal.throwIfAborted();
    const { items, metadata } = await client.list(type, { signal });
    const left = new Set(items.filter(isMeant).map(({ metadata: { uid } }) => uid));
    if (left.size === 0) return;
    try {
      for await (const { type: change, object } of client.watch(type, {
        resourceVersion: metadata.resourceVersion,
        signal,
      })) {
        if (change === 'DELETED' && left.delete(object.metadata.uid) && left.size === 0) return;
      }
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}
