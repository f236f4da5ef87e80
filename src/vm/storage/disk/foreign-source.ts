import type { DiskSource } from '#api/disk/request';
import type { Operation } from '#api/hypersdk/operation-resources';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { jsonEqual } from '#platform/base/json-equal';
import type { CrossNamespaceDenial } from '#platform/kube/namespace-grant';
import { activeClone, cloneNamespace, copiesIn, type FindOperation, machineNamedBy } from './active-clone.ts';

/** A claim that is to be a copy, with what it says of the operation that made it. */
export interface CopyingClaim {
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

/** Where it is looked up whether a copy is allowed: specs and the namespaces themselves, never a status. */
export interface CopyAuthority {
  readonly operation: FindOperation;
  /** Why objects of one namespace may not act on machines of others; undefined where they may. */
  objection(from: string, among: readonly string[]): Promise<CrossNamespaceDenial | undefined>;
  /** The claims of the machine that an operation names, by its spec; undefined where there is no such machine. */
  claimsOf(operation: Operation): readonly string[] | undefined;
  snapshot(namespace: string, name: string): Snapshot | undefined;
}

export const isForeign = ({ namespace: from }: DiskSource, namespace: string) =>
  from !== undefined && from !== namespace;

/**
 * Whether a claim may be a copy of its source. One of another namespace is read only for a clone that is under way and
 * has written down what each claim is to be a copy of. Whoever may write the status of an operation could have made that
 * up: so both namespaces are asked once more whether they allow it, and the disk has to be one of the machine that the
 * operation names.
 */
export async function mayCopy(source: DiskSource, claim: CopyingClaim, authority: CopyAuthority): Promise<boolean> {
  const { namespace, name, annotations } = claim;
  if (!isForeign(source, namespace)) return true;
  const clone = activeClone(annotations, authority.operation);
  if (clone === undefined || cloneNamespace(clone) !== namespace) return false;
  const recorded = copiesIn(clone) ?? {};
  if (!Object.hasOwn(recorded, name) || !jsonEqual(recorded[name], source)) return false;
  const machine = machineNamedBy(clone);
  if (source.namespace !== machine.namespace || !isOfMachine(source, clone, authority)) return false;
  return (await authority.objection(clone.metadata.namespace, [machine.namespace, namespace])) === undefined;
}

function isOfMachine({ claim, snapshot }: DiskSource, clone: Operation, authority: CopyAuthority): boolean {
  if (claim !== undefined) return authority.claimsOf(clone)?.includes(claim) === true;
  const machine = machineNamedBy(clone);
  if (snapshot === undefined || snapshot !== clone.spec.cloneSpec?.snapshotRef) return false;
  const found = authority.snapshot(machine.namespace, snapshot);
  return found !== undefined && jsonEqual(machineNamedBy(found), machine);
}
