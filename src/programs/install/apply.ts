import { jsonEqual } from '#platform/base/json-equal';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { DesiredObject } from './desired-objects.ts';

export type ApplyOutcome = 'created' | 'configured' | 'unchanged';

export interface ApplyOptions {
  readonly dryRun: boolean;
  /** Whether fields are taken over that somebody else has set otherwise. */
  readonly force: boolean;
  readonly signal: AbortSignal;
}

const FIELD_MANAGER = 'vimana-install';

/** Where an object is, for requests. */
export const objectPath = ({ type, object }: DesiredObject) =>
  type.namespaced && object.metadata.namespace !== undefined ? { namespace: object.metadata.namespace } : {};

/** The object as it is in the cluster. */
export function getExisting(
  client: Client,
  wanted: DesiredObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { type, object } = wanted;
  return ifExists(client.get(type, object.metadata.name ?? '', { ...objectPath(wanted), signal }));
}

/** An answer, or undefined where there is no such object, or no such kind, of which the server says nothing but 404. */
export async function ifExists<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return undefined;
    throw error;
  }
}

/** Brings an object to be as it is wanted, and tells what that was. */
export async function apply(
  client: Client,
  wanted: DesiredObject,
  before: KubeObject | undefined,
  { signal, ...how }: ApplyOptions,
): Promise<ApplyOutcome> {
  const { type, object } = wanted;
  const options = { ...objectPath(wanted), ...how, fieldManager: FIELD_MANAGER, signal };
  let after = await client.apply(type, object, options);
  const { status } = object;
  // A node keeps the size that it was created with unless its status is told.
  if (type === NODES && status !== undefined && before !== undefined) {
    const { apiVersion, kind, metadata } = object;
    const told = { apiVersion, kind, metadata: { name: metadata.name ?? '' }, status };
    after = await client.apply(type, told, { ...options, subresource: 'status' });
  }
  if (before === undefined) return 'created';
  return jsonEqual(desiredContent(before), desiredContent(after)) ? 'unchanged' : 'configured';
}

/** What somebody wants of an object, without what servers and controllers note in it. */
function desiredContent({ metadata, status, ...rest }: KubeObject): object {
  const { labels, annotations } = metadata;
  const { capacity, allocatable } = (status ?? {}) as { readonly capacity?: object; readonly allocatable?: object };
  return { ...rest, labels, annotations, capacity, allocatable };
}

/** As kubectl names it: clusterrole.rbac.authorization.k8s.io/vimana-operator. */
export function nameOf({ type, object }: Pick<DesiredObject, 'type' | 'object'>): string {
  const kind = type.kind.toLowerCase();
  return `${type.group === '' ? kind : `${kind}.${type.group}`}/${object.metadata.name}`;
}
