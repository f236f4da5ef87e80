import type { Client, ResourceType } from '#platform/kube/client';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';
import { isInvalid, isNotFound } from '#platform/kube/kube-error';
import type { KubeObject, KubeOwnerReference } from '#platform/kube/kube-object';
import type { LabelSelector } from '#platform/kube/selectors/label-selector';
import type { Expectations } from '../expectations.ts';
import { keyOf } from '../key.ts';
import { planClaims } from './plan-claims.ts';

/** Builds the controller owner reference to an object. */
export function controllerRef(type: ResourceType, { metadata }: KubeObject): KubeOwnerReference {
  const { name = '', uid = '' } = metadata;
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export interface ClaimOptions<O extends KubeObject, T extends KubeObject> {
  readonly client: Client;
  readonly ownerType: ResourceType<O>;
  readonly owner: O;
  readonly type: ResourceType<T>;
  readonly selector: LabelSelector;
  readonly expectations: Expectations;
}

/** Adopts the objects that match the owner, releases those that no longer do, and returns the owned ones. */
export async function claimObjects<O extends KubeObject, T extends KubeObject>(
  { client, ownerType, owner, type, selector, expectations }: ClaimOptions<O, T>,
  objects: Iterable<T>,
): Promise<T[]> {
  const { owned, adopt, release } = planClaims(owner, selector, objects);
  const patch = async ({ metadata }: T, body: object): Promise<T | undefined> => {
    const { name = '', namespace = '', uid, resourceVersion } = metadata;
    const change = { metadata: { uid, resourceVersion, ...body } };
    try {
      const changed = await client.patch(type, name, { type: 'merge', body: change }, { namespace });
      expectations.wrote(keyOf(owner), changed);
      return changed;
    } catch (error) {
      // The object is gone, or another has its name.
      if (isNotFound(error) || isInvalid(error)) return undefined;
      throw error;
    }
  };
  for (const object of release) {
    const others = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
    await patch(object, { ownerReferences: others });
  }
  if (adopt.length === 0 || !(await isStillThere(client, ownerType, owner))) return [...owned];
  const adopted: T[] = [];
  for (const object of adopt) {
    const ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerRef(ownerType, owner)];
    const changed = await patch(object, { ownerReferences });
    if (changed !== undefined) adopted.push(changed);
  }
  return [...owned, ...adopted];
}

/**
 * Reports whether the owner still exists at the server. An object adopted by a deleted owner would be
 * garbage-collected.
 */
async function isStillThere<O extends KubeObject>(client: Client, type: ResourceType<O>, owner: O): Promise<boolean> {
  const { name = '', namespace = '', uid } = owner.metadata;
  try {
    const { metadata } = await client.get(type, name, { namespace });
    return metadata.uid === uid && metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
