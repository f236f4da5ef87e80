import type { Client, ResourceType } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { ifExists, nameOf } from './apply.ts';
import { releaseOf } from './release.ts';

interface Resources {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}
interface Groups {
  readonly groups: readonly { readonly name: string; readonly preferredVersion: { readonly version: string } }[];
}

/** Groups that are views of other objects, and have none of their own. */
const VIEWS = /^(?:subresources|metrics|custom\.metrics|external\.metrics)\./;
/** Objects that exist in every namespace, or come and go by themselves. */
const EVERYWHERE = new Set([
  'configmap/kube-root-ca.crt',
  'serviceaccount/default',
  'lease.coordination.k8s.io/vimana-operator',
]);

/**
 * Returns the names of foreign objects in a namespace. Objects that cannot be read count. `leaving` lists the kinds
 * being deleted, as `plural.group`.
 */
export async function foreignObjects(
  client: Client,
  namespace: string,
  leaving: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const { groups } = JSON.parse(await client.raw('/apis', { signal })) as Groups;
  const versions = [
    { group: '', version: 'v1' },
    ...groups.map(({ name, preferredVersion: { version } }) => ({ group: name, version })),
  ].filter(({ group }) => !VIEWS.test(group));
  const found = await Promise.all(
    versions.map(async ({ group, version }) => {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      const types = await listOrProblem(typesAt(client, path, { group, version }, signal), path);
      if (types.unseen !== undefined) return [types.unseen];
      const listed = types.found.filter(({ plural }) => plural !== 'events' && !leaving.has(`${plural}.${group}`));
      return (await Promise.all(listed.map((type) => foreignNames(client, type, namespace, signal)))).flat();
    }),
  );
  return found.flat().toSorted();
}

async function typesAt(
  client: Client,
  path: string,
  of: Pick<ResourceType, 'group' | 'version'>,
  signal: AbortSignal,
): Promise<ResourceType[]> {
  const { resources } = JSON.parse(await client.raw(path, { signal })) as Resources;
  return resources
    .filter(({ name, namespaced, verbs }) => namespaced && verbs.includes('list') && !name.includes('/'))
    .map(({ name, kind }) => ({ ...of, plural: name, kind, namespaced: true }));
}

async function foreignNames(
  client: Client,
  type: ResourceType,
  namespace: string,
  signal: AbortSignal,
): Promise<string[]> {
  const list = await listOrProblem(objectsOf(client, type, namespace, signal), type.plural);
  if (list.unseen !== undefined) return [list.unseen];
  const names = list.found.filter((object) => !isOurs(object)).map((object) => nameOf({ type, object }));
  return names.filter((name) => !EVERYWHERE.has(name));
}

const objectsOf = async (client: Client, type: ResourceType, namespace: string, signal: AbortSignal) =>
  (await client.list(type, { namespace, signal })).items;

const isOurs = (object: KubeObject) =>
  object.metadata.labels?.['app.kubernetes.io/name'] === 'vimana' && releaseOf(object) === undefined;

/** Returns a list, which is empty if its group or kind was just deleted, or a message if it cannot be read. */
async function listOrProblem<T>(
  response: Promise<readonly T[]>,
  what: string,
): Promise<{ readonly found: readonly T[]; readonly unseen?: never } | { readonly unseen: string }> {
  try {
    return { found: (await ifExists(response)) ?? [] };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return { unseen: `possibly ${what} (${error.message})` };
  }
}
