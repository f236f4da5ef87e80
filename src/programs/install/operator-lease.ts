import type { Clock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { LEASES, type Lease } from '#platform/kube/kinds/node';

/** Operator that currently leads. */
export interface Leader {
  readonly holder: string;
  /** Lease as `namespace/name`. */
  readonly lease: string;
}

const NAME = 'vimana-operator';
/** Label of the objects that a chart or a manifest of Vimana installs. */
export const OF_VIMANA = 'app.kubernetes.io/name=vimana';

/** Returns the current leader of the operators in `vimana-system`, or undefined if there is none or we may not know. */
export async function actingOperator(client: Client, clock: Clock, signal: AbortSignal): Promise<string | undefined> {
  const lease = await client.get(LEASES, NAME, { namespace: 'vimana-system', signal }).catch(() => undefined);
  return lease === undefined ? undefined : holderOf(lease, clock);
}

/** Returns all leading operators in every namespace. Their leases have the names of their ServiceAccounts. */
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
  // The suffix after the name tells processes apart.
  return isHeld ? holderIdentity.split('_')[0] : undefined;
}
