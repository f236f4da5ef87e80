import type { Clock } from '../base/clock.ts';
import type { Client } from '../kube/client.ts';
import { LEASES } from '../kube/kinds/node.ts';

/** Who leads the operators of a cluster at present; undefined where nobody does, or we may not know. */
export async function actingOperator(client: Client, clock: Clock, signal: AbortSignal): Promise<string | undefined> {
  const lease = await client
    .get(LEASES, 'vimana-operator', { namespace: 'vimana-system', signal })
    .catch(() => undefined);
  const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 0 } = lease?.spec ?? {};
  const isHeld = holderIdentity !== '' && Date.parse(renewTime) + leaseDurationSeconds * 1000 > clock.now();
  // After the name comes what tells processes apart.
  return isHeld ? holderIdentity.split('_')[0] : undefined;
}
