import type { Client } from './client.ts';
import { LEASES, type Lease } from './kinds/node.ts';

export const NODE_LEASE_NAMESPACE = 'kube-node-lease';

/**
 * Annotation on the Lease of a node that was declared lost, with its last renewal at that time. Any later renewal voids
 * the declaration, also one by a kubelet or by KWOK, which do not know it.
 */
export const NODE_LOST_ANNOTATION = 'vimana.io/node-lost';

const renewTimeOf = ({ spec }: Lease) => spec?.renewTime ?? '';

export function isDeclaredLost(lease: Lease): boolean {
  return lease.metadata.annotations?.[NODE_LOST_ANNOTATION] === renewTimeOf(lease);
}

/**
 * Declares a node lost at exactly this version of its Lease, and fails with a conflict if the Lease has changed since.
 * After success the caller may take over what ran there: the node finds out before it runs anything again.
 */
export async function declareLost(client: Client, lease: Lease): Promise<void> {
  const { name = '', resourceVersion } = lease.metadata;
  const annotations = { [NODE_LOST_ANNOTATION]: renewTimeOf(lease) };
  const body = { metadata: { resourceVersion, annotations } };
  await client.patch(LEASES, name, { type: 'merge', body }, { namespace: NODE_LEASE_NAMESPACE });
}
