import type { ClaimedDisk, ClaimWords } from '#api/disk/claimed-disk';
import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Index } from '#platform/runtime/cache';
import type { Context, WatchSource } from '#platform/runtime/controller';
import type { ObjectMeta } from '#platform/schema/kind';
import type { Usage } from '#vm/engine/metrics';

/** A machine of any group. */
export type OwnerVm = KubeObject & { readonly metadata: ObjectMeta };

/** A group whose machines are given their parts here, and all in which it differs from others. */
export interface VmResourceGroup<M extends OwnerVm = OwnerVm> {
  readonly vms: ResourceType<M>;
  readonly words: ClaimWords;
  /** The name of the instance of a machine. */
  instanceOf(vm: string): string;
  /** What comes before the name of the disk, and a dash, in the names of claims. */
  claimStart(vm: string): string;
  /** The disks that a machine is to have; undefined while what says more of them is not there. */
  disksOf(vm: M, context: Pick<Context, 'cache'>): ClaimedDisk[] | undefined;
  /** What a user can do about a disk whose claim is there and another's. */
  wayOut(claim: string): string;
  /** Machines by the claims that their disks are to be copies of. */
  readonly bySource: Index<M>;
  /** Machines with disks that did not get what was asked for, under one value. */
  readonly bySmallDisks: Index<M>;
  /** Whether machines get a Service by which others find them. */
  readonly hasService: boolean;
  /** What else the disks follow from. */
  readonly reads: readonly ResourceType[];
  readonly watches: readonly WatchSource[];
  /** How large a machine is: CPUs and bytes. */
  sizeOf(vm: M): Usage;
  /** What the status says that the machine uses. */
  toldOf(vm: M): Usage | undefined;
}

/** All that parts have to do with the group of their machine. */
export type GroupTexts = Pick<VmResourceGroup, 'vms' | 'words' | 'wayOut'>;
