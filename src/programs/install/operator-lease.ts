import type { Clock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { LEASES, type Lease } from '#platform/kube/kinds/node';

/** An operator that leads at present. */
export interface Leader {
  readonly holder: string;
  /** As `namespace/name`. */
  readonly lease: string;
}

const NAME = 'vimana-operator';
/** On what a chart or a manifest of ours brings. */
export const OF_VIMANA = 'app.kubernetes.io/name=vimana';

/** Who leads the operators of `vimana-system` at present; undefined where nobody does, or we may not know. */
export async function actingOperator(client: Client, clock: Clock, signal: AbortSignal): Promise<string | undefined> {
  const lease = await client.get(LEASES, NAME, { namespace: 'vimana-system', signal }).catch(() => undefined);
  return lease === undefined ? undefined : holderOf(lease, clock);
}

/** All operators that lead, in every namespace: their leases are called as their ServiceAccounts are. */
export async function leaders(client: Client, clock: Clock, signal: AbortSignal): Promise<Leader[]> {
  const [accounts, leases] = await Promise.all([
    client.list(SERVICE_ACCOUNTS, { labelSelector: OF_VIMANA, signal }),
    client.list(LEASES, { signal }),
  ]);
  const placeOf = ({ metadata }: Pick<Lease, 'metadata'>) => `${metadata.namespace}/${metadata.name}`;
  const known = new Set(accounts.items.map(placeOf));
  return leases.items.flatMap((lease) => {
    const holder = lease.metadata.name === NAME || known.has(placeOf(lease)) ? holderOf(lease, clock) : undefined;
    return holder === undefined ? [] : [{ holder, lease: placeOf(lease) }];
  });
}

function holderOf({ spec = {} }: Lease, clock: Clock): string | undefined {
  const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 0 } = spec;
  const isHeld = holderIdentity !== '' && Date.parse(renewTime) + leaseDurationSeconds * 1000 > clock.now();
  // After the name comes what tells processes apart.
  return isHeld ? holderIdentity.split('_')[0] : undefined;
}
