import { FOREGROUND } from '#platform/kube/deletion-finalizers';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import { type Member, sameOwners } from './owner-graph.ts';

/** State of a referenced owner: present, present but waiting for its dependents to be deleted, or gone. */
export type OwnerState = 'solid' | 'waiting' | 'absent';

export interface OwnerWithState {
  readonly ref: KubeOwnerReference;
  readonly state: OwnerState;
}

export type GcDecision =
  | { readonly do: 'keep' }
  /** Another owner remains, so the other references are removed. */
  | { readonly do: 'drop references'; readonly uids: ReadonlySet<string> }
  | {
      readonly do: 'delete';
      readonly policy: 'Foreground' | 'Background' | 'Orphan';
      /** Its own dependents wait for each other in a cycle, so none of its references may block any longer. */
      readonly unblock: boolean;
    };

/** Decides what to do with an object that has owners. */
export function decide(
  owners: readonly OwnerWithState[],
  finalizers: readonly string[],
  dependents: Iterable<Member>,
): GcDecision {
  const uidsOf = (...desired: OwnerState[]) =>
    new Set(owners.filter(({ state }) => desired.includes(state)).map(({ ref }) => ref.uid));
  if (owners.length === 0) return { do: 'keep' };
  if (owners.some(({ state }) => state === 'solid')) {
    const uids = uidsOf('waiting', 'absent');
    return uids.size === 0 ? { do: 'keep' } : { do: 'drop references', uids };
  }
  const below = [...dependents];
  if (uidsOf('waiting').size > 0 && below.length > 0) {
    return { do: 'delete', policy: 'Foreground', unblock: below.some(({ foreground }) => foreground) };
  }
  const policy = finalizers.includes('orphan')
    ? 'Orphan'
    : finalizers.includes(FOREGROUND)
      ? 'Foreground'
      : 'Background';
  return { do: 'delete', policy, unblock: false };
}

/**
 * Returns the members that a change affects: the object itself if it has new owners or began to wait for its
 * dependents, and owners that wait for it.
 */
export function affectedMembers(before: Member | undefined, member: Member | undefined): string[] {
  const uids = new Set<string>();
  if (member !== undefined) {
    const waits = (each: Member | undefined) => each?.foreground === true || each?.orphaning === true;
    const began = waits(member) && !waits(before);
    const newOwners = member.owners.length > 0 && !(before !== undefined && sameOwners(member.owners, before.owners));
    if (began || newOwners) uids.add(member.uid);
  }
  const kept = new Set(member?.owners.filter(blocks).map(({ uid }) => uid));
  for (const ref of before?.owners ?? []) if (!kept.has(ref.uid)) uids.add(ref.uid);
  return [...uids];
}

/** Reports whether the reference blocks the deletion of the owner. */
export function blocks({ blockOwnerDeletion }: KubeOwnerReference): boolean {
  return blockOwnerDeletion === true;
}
