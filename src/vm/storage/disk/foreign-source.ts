import type { DiskSource } from '#api/disk/request';
import type { Operation } from '#api/hypersdk/operation-resources';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { jsonEqual } from '#platform/base/json-equal';
import type { CrossNamespaceDenial } from '../namespace-grant.ts';
import { activeClone, cloneNamespace, copiesIn, type FindOperation, namedVmOf } from './active-clone.ts';

/** Claim that is to be a copy, with its annotations about the operation that created it. */
export interface CopyingClaim {
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

/** Sources that decide whether a copy is allowed: specs and namespaces, never a status. */
export interface CopyAuthority {
  readonly operation: FindOperation;
  /** Returns why objects of one namespace may not act on VMs of others, or undefined if they may. */
  objection(from: string, among: readonly string[]): Promise<CrossNamespaceDenial | undefined>;
  /** Returns the claims in the spec of the VM that an operation references, or undefined if there is no such VM. */
  claimsOf(operation: Operation): readonly string[] | undefined;
  snapshot(namespace: string, name: string): Snapshot | undefined;
}

export const isForeign = ({ namespace: from }: DiskSource, namespace: string) =>
  from !== undefined && from !== namespace;

/**
 * Reports whether a claim may be a copy of its source; one in another namespace is only read for a clone in progress
 * that has recorded the copy. Since a status can be forged, both namespaces must still allow it, and the disk must
 * belong to the VM that the operation references.
 */
export async function mayCopy(source: DiskSource, claim: CopyingClaim, authority: CopyAuthority): Promise<boolean> {
  const { namespace, name, annotations } = claim;
  if (!isForeign(source, namespace)) return true;
  const clone = activeClone(annotations, authority.operation);
  if (clone === undefined || cloneNamespace(clone) !== namespace) return false;
  const recorded = copiesIn(clone) ?? {};
  if (!Object.hasOwn(recorded, name) || !jsonEqual(recorded[name], source)) return false;
  const machine = namedVmOf(clone);
  if (source.namespace !== machine.namespace || !isOfMachine(source, clone, authority)) return false;
  return (await authority.objection(clone.metadata.namespace, [machine.namespace, namespace])) === undefined;
}

function isOfMachine({ claim, snapshot }: DiskSource, clone: Operation, authority: CopyAuthority): boolean {
  if (claim !== undefined) return authority.claimsOf(clone)?.includes(claim) === true;
  const machine = namedVmOf(clone);
  if (snapshot === undefined || snapshot !== clone.spec.cloneSpec?.snapshotRef) return false;
  const found = authority.snapshot(machine.namespace, snapshot);
  return found !== undefined && jsonEqual(namedVmOf(found), machine);
}
