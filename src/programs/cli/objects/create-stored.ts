import { VimanaError } from '#platform/base/errors';
import type { Client, NewObject, ResourceType } from '#platform/kube/client';
import { ignoreNotFound, isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';

/** Stores a new object exactly as written. */
export async function createStored<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  object: object,
  namespace: string,
): Promise<T> {
  try {
    const options = { namespace, fieldManager: 'vimana-cli', fieldValidation: 'Strict' } as const;
    return await client.create(type, object as NewObject<T>, options);
  } catch (error) {
    if (isNotFound(error)) await assertServed(client, type);
    throw error;
  }
}

/** Throws an error with a hint if the cluster does not serve a kind. */
export async function assertServed(client: Client, { group, version, plural, kind }: ResourceType): Promise<void> {
  const response = await ignoreNotFound(client.raw(`/apis/${group}/${version}`));
  const { resources = [] } = JSON.parse(response ?? '{}') as {
    readonly resources?: readonly { readonly name: string }[];
  };
  if (resources.some(({ name }) => name === plural)) return;
  throw new VimanaError('UNSERVED', `this cluster does not serve ${kind} of ${group}`, {
    hint: `Operations, templates and snapshots belong to that group. Enable it with vimana up --dialects …,hypersdk or, on another cluster, vimana install --dialects …,hypersdk.`,
  });
}

/** Lists the objects of a kind, or throws a hint if the cluster does not serve it. */
export async function listOf<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  options: { readonly namespace?: string; readonly labelSelector?: string },
): Promise<readonly T[]> {
  try {
    return (await client.list(type, options)).items;
  } catch (error) {
    if (isNotFound(error)) await assertServed(client, type);
    throw error;
  }
}
