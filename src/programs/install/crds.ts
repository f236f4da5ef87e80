import { type DialectName, GROUPS } from '#api/groups';
import { KINDS } from '#api/kinds';
import type { Client } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
} from '#platform/kube/kinds/custom-resource-definition';
import { isGone } from '#platform/kube/kube-error';
import { crdOf } from '#platform/schema/crd';
import type { Kind } from '#platform/schema/kind';

/** Selects the CRDs of Vimana. */
export const OURS = 'app.kubernetes.io/part-of=vimana';

/**
 * Returns the kinds of the chosen groups. Instances and migrations are always included, since VMs of every group run as
 * them.
 */
export function kindsOf(dialects: readonly DialectName[]): Kind[] {
  const groups = new Set<string>(dialects.map((name) => GROUPS[name]));
  return KINDS.filter((kind) => groups.has(kind.group) || isEstablished(kind));
}

/** Reports whether VMs of every group run as objects of this kind. */
export const isEstablished = ({ group, kind }: Kind) => group === GROUPS.kubevirt && kind !== 'VirtualMachine';

export const crdFor = (kind: Kind) => crdOf(kind) as unknown as CustomResourceDefinition;

export const isSame = (some: readonly string[] = [], others: readonly string[] = []) => String(some) === String(others);

/** Waits until a CRD is served under its current names. Throws if the signal is aborted. */
export async function waitForServed(client: Client, name: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const options = { fieldSelector: `metadata.name=${name}`, ...(signal === undefined ? {} : { signal }) };
    try {
      for await (const event of client.watch(CUSTOM_RESOURCE_DEFINITIONS, options)) {
        if (event.type !== 'BOOKMARK' && isServed(event.object)) return;
      }
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

function isServed({ spec: { names }, status: { conditions, acceptedNames } = {} }: CustomResourceDefinition): boolean {
  if (conditionOf(conditions, 'Established')?.status !== 'True') return false;
  // A CRD of another owner may have the names.
  if (conditionOf(conditions, 'NamesAccepted')?.status === 'False') return true;
  return isSame(names.shortNames, acceptedNames?.shortNames) && isSame(names.categories, acceptedNames?.categories);
}
