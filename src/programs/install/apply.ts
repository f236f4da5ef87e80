import { jsonEqual } from '#platform/base/json-equal';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { DesiredObject } from './desired-objects.ts';

export type ApplyOutcome = 'created' | 'configured' | 'unchanged';

export interface ApplyOptions {
  readonly dryRun: boolean;
  /** Takes over fields that another manager has set to other values. */
  readonly force: boolean;
  readonly signal: AbortSignal;
}

const FIELD_MANAGER = 'vimana-install';

/** Returns the path of an object for requests. */
export const objectPath = ({ type, object }: DesiredObject) =>
  type.namespaced && object.metadata.namespace !== undefined ? { namespace: object.metadata.namespace } : {};

/** Returns the object as it is in the cluster. */
export function getExisting(
  client: Client,
  desired: DesiredObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { type, object } = desired;
  return ifExists(client.get(type, object.metadata.name ?? '', { ...objectPath(desired), signal }));
}

/** Returns the response, or undefined if the object or its kind does not exist: the server responds 404 for both. */
export async function ifExists<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return undefined;
    throw error;
  }
}

/** Applies the desired object, and returns what changed. */
export async function apply(
  client: Client,
  desired: DesiredObject,
  before: KubeObject | undefined,
  { signal, ...how }: ApplyOptions,
): Promise<ApplyOutcome> {
  const { type, object } = desired;
  const options = { ...objectPath(desired), ...how, fieldManager: FIELD_MANAGER, signal };
  let after = await client.apply(type, object, options);
  const { status } = object;
  // A node keeps the size that it was created with unless its status is written.
  if (type === NODES && status !== undefined && before !== undefined) {
    const { apiVersion, kind, metadata } = object;
    const reported = { apiVersion, kind, metadata: { name: metadata.name ?? '' }, status };
    after = await client.apply(type, reported, { ...options, subresource: 'status' });
  }
  if (before === undefined) return 'created';
  return jsonEqual(desiredContent(before), desiredContent(after)) ? 'unchanged' : 'configured';
}

/** Returns the desired content of an object, without what servers and controllers record in it. */
function desiredContent({ metadata, status, ...rest }: KubeObject): object {
  const { labels, annotations } = metadata;
  const { capacity, allocatable } = (status ?? {}) as { readonly capacity?: object; readonly allocatable?: object };
  return { ...rest, labels, annotations, capacity, allocatable };
}

/** Names the object as kubectl does: clusterrole.rbac.authorization.k8s.io/vimana-operator. */
export function nameOf({ type, object }: Pick<DesiredObject, 'type' | 'object'>): string {
  const kind = type.kind.toLowerCase();
  return `${type.group === '' ? kind : `${kind}.${type.group}`}/${object.metadata.name}`;
}
