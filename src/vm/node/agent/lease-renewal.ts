import { TemporaryError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { LEASES, type Lease } from '#platform/kube/kinds/node';
import { ignoreNotFound, isAlreadyExists, isConflict, isNotFound } from '#platform/kube/kube-error';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import { isDeclaredLost, NODE_LEASE_NAMESPACE, NODE_LOST_ANNOTATION } from '#platform/kube/node-lease';

export interface Renewal {
  readonly node: string;
  readonly owner: KubeOwnerReference | undefined;
  readonly renewTime: string;
  /** Version of the Lease as last written here. Undefined if it never was. */
  readonly version: string | undefined;
  /** Reports whether the node may have been declared lost and its Lease deleted since, in case there is no Lease. */
  readonly mayBeLost: () => boolean;
  /** Nothing runs any more on a node declared lost, and that is reported. Only then is its Lease taken back. */
  readonly settled: boolean;
  readonly signal: AbortSignal;
}

export type RenewalResult =
  | { readonly is: 'renewed'; readonly version: string }
  /** The node was, or may have been, declared lost, so nothing was written. */
  | { readonly is: 'lost' | 'absent' };

const DURATION_SECONDS = 40;
/** Maximum attempts against a Lease that others keep writing. */
const MAX_ATTEMPTS = 3;

/**
 * Renews the Lease of a node by compare-and-set at the version last written here, so that success proves that nothing
 * has declared the node lost meanwhile. At any other version the Lease is read first.
 */
export async function renewLease(client: Client, renewal: Renewal): Promise<RenewalResult> {
  const { version, renewTime } = renewal;
  if (version !== undefined) {
    const written = await patch(client, renewal, { metadata: { resourceVersion: version }, spec: { renewTime } });
    if (written !== undefined) return written;
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const result = await readAndRenew(client, renewal);
    if (result !== undefined) return result;
  }
  throw new TemporaryError(`the lease of node ${renewal.node} was updated by another client`);
}

/** Returns undefined on a conflict. */
async function readAndRenew(client: Client, renewal: Renewal): Promise<RenewalResult | undefined> {
  const { node, owner, renewTime, mayBeLost, settled, signal } = renewal;
  const present = await ignoreNotFound(client.get(LEASES, node, { namespace: NODE_LEASE_NAMESPACE, signal }));
  if (present === undefined && !settled && mayBeLost()) return { is: 'absent' };
  if (present !== undefined && !settled && isDeclaredLost(present)) return { is: 'lost' };
  const spec = { holderIdentity: node, leaseDurationSeconds: DURATION_SECONDS, renewTime };
  const owned = owner === undefined ? {} : { ownerReferences: [owner] };
  if (present !== undefined) {
    const { resourceVersion, annotations } = present.metadata;
    const unmarked = annotations?.[NODE_LOST_ANNOTATION] === undefined ? {} : { [NODE_LOST_ANNOTATION]: null };
    const metadata = { resourceVersion, ...owned, annotations: unmarked };
    return await patch(client, renewal, { metadata, spec });
  }
  try {
    const metadata = { name: node, namespace: NODE_LEASE_NAMESPACE, ...owned };
    return renewedLease(await client.create(LEASES, { metadata, spec }, { signal }));
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}

async function patch(client: Client, { node, signal }: Renewal, body: object): Promise<RenewalResult | undefined> {
  try {
    const where = { namespace: NODE_LEASE_NAMESPACE, signal };
    return renewedLease(await client.patch(LEASES, node, { type: 'merge', body }, where));
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

const renewedLease = ({ metadata }: Lease) => ({ is: 'renewed', version: metadata.resourceVersion ?? '' }) as const;
