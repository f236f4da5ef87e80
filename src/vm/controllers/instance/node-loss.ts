import { LEASES, type Lease, NODES } from '#platform/kube/kinds/node';
import { ignoreNotFound, isAlreadyExists, isConflict, isNotFound } from '#platform/kube/kube-error';
import { declareLost, isDeclaredLost, NODE_LEASE_NAMESPACE, NODE_LOST_ANNOTATION } from '#platform/kube/node-lease';
import type { Context } from '#platform/runtime/controller';

/**
 * Result of declaring a node lost. 'lost': it is declared lost. 'changed': the lease was written meanwhile. 'none': the
 * lease is gone.
 */
export type Declaration = 'lost' | 'changed' | 'none' | Lease;

/**
 * Declares a node lost by compare-and-set if its lease still shows the last seen renewal, else returns the lease.
 * Without this, a node agent that was only paused would continue machines that are reported as ended here.
 */
export async function declareIfSilent(
  name: string,
  renewal: string | undefined,
  { client, cache }: Pick<Context, 'client' | 'cache'>,
): Promise<Declaration> {
  const lease = await ignoreNotFound(client.get(LEASES, name, { namespace: NODE_LEASE_NAMESPACE }));
  if (lease === undefined && renewal !== undefined) return 'none';
  if (lease !== undefined && (lease.spec?.renewTime ?? '') !== (renewal ?? '')) return lease;
  if (lease !== undefined && isDeclaredLost(lease)) return 'lost';
  try {
    if (lease !== undefined) await declareLost(client, lease);
    else await client.create(LEASES, lostLease(name, cache(NODES).get(name)?.metadata.uid));
    return 'lost';
  } catch (error) {
    if (isConflict(error) || isNotFound(error) || isAlreadyExists(error)) return 'changed';
    throw error;
  }
}

/** Builds a lease that a node agent finds instead of creating the missing one. */
function lostLease(name: string, uid: string | undefined) {
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid: uid ?? '' };
  return {
    metadata: {
      name,
      namespace: NODE_LEASE_NAMESPACE,
      annotations: { [NODE_LOST_ANNOTATION]: '' },
      ...(uid === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec: { holderIdentity: name },
  };
}
