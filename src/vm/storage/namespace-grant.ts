import type { Client } from '#platform/kube/client';
import { NAMESPACES, type Namespace } from '#platform/kube/kinds/core';
import { ignoreNotFound } from '#platform/kube/kube-error';

/**
 * Annotation of a Namespace that lists, separated by commas, the other namespaces whose operations may act on its VMs.
 * `*` means all.
 */
const OPERATIONS_FROM = 'vimana.io/operations-from';

/** Grants that decide whose objects may act on the contents of a namespace. */
export interface Grants {
  readonly namespace: (name: string) => Namespace | undefined;
  /** The only managed namespace, if there is just one. */
  readonly only?: string | undefined;
}

export interface CrossNamespaceDenial {
  readonly reason: 'Forbidden' | 'NotFound';
  readonly message: string;
}

/**
 * Returns why an object in one namespace may not act on VMs in another, or undefined if it may. The operator acts with
 * its own permissions: without this check, anyone who may create an object in one namespace would reach the VMs of all.
 */
export function crossNamespaceDenial(
  from: string,
  to: string,
  { namespace, only }: Grants,
): CrossNamespaceDenial | undefined {
  if (from === to) return undefined;
  if (only !== undefined && only !== '')
    return { reason: 'Forbidden', message: `only namespace ${only} is managed by this operator, not ${to}` };
  const found = namespace(to);
  if (found === undefined) return { reason: 'NotFound', message: `namespace ${to} not found` };
  const named = (found.metadata.annotations?.[OPERATIONS_FROM] ?? '').split(',');
  const granted = new Set(named.map((name) => name.trim()));
  if (granted.has(from) || granted.has('*')) return undefined;
  const message = `namespace ${to} does not allow operations from namespace ${from} on its VMs: to allow them, add ${from} to annotation ${OPERATIONS_FROM} of namespace ${to}, a comma-separated list`;
  return { reason: 'Forbidden', message };
}

/**
 * Returns the first denial among several namespaces by the known grants. Before a final denial, it reads the namespaces
 * from the server.
 */
export async function firstCrossNamespaceDenial(
  from: string,
  among: readonly string[],
  known: Grants,
  client: Pick<Client, 'get'>,
): Promise<CrossNamespaceDenial | undefined> {
  const first = (grants: Grants) =>
    among.reduce<CrossNamespaceDenial | undefined>(
      (found, to) => found ?? crossNamespaceDenial(from, to, grants),
      undefined,
    );
  const objection = first(known);
  if (objection === undefined || (known.only ?? '') !== '') return objection;
  const found = new Map<string, Namespace | undefined>();
  for (const name of among) if (name !== from) found.set(name, await ignoreNotFound(client.get(NAMESPACES, name)));
  return first({ namespace: (name) => found.get(name) });
}
