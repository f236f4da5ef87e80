import type { ClaimedDisk, ClaimKeys } from '#api/disk/claimed-disk';
import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Index } from '#platform/runtime/cache';
import type { Context, WatchSource } from '#platform/runtime/controller';
import type { ObjectMeta } from '#platform/schema/kind';
import type { VmUsage } from '#vm/engine/metrics';

/** VM of any API group. */
export type OwnerVm = KubeObject & { readonly metadata: ObjectMeta };

/** Port of a Service, which is the same in the guest. */
export interface ServicePort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
}

/** API group whose VMs get their claims and Services here, with all that differs between groups. */
export interface VmResourceGroup<M extends OwnerVm = OwnerVm> {
  readonly vms: ResourceType<M>;
  readonly words: ClaimKeys;
  /** Returns the name of the instance of a VM. */
  instanceOf(vm: string): string;
  /** Returns the prefix of claim names, before a dash and the name of the disk. */
  claimStart(vm: string): string;
  /** Returns the disks that a VM should have, or undefined while something that defines more of them is missing. */
  disksOf(vm: M, context: Pick<Context, 'cache'>): ClaimedDisk[] | undefined;
  /** Returns a remedy for a disk whose claim exists and belongs to another owner. */
  wayOut(claim: string): string;
  /** Indexes VMs by the claims that their disks are to be copies of. */
  readonly bySource: Index<M>;
  /** Indexes VMs with disks that are smaller than requested, under one value. */
  readonly bySmallDisks: Index<M>;
  /** Set if VMs get a Service for discovery. */
  readonly hasService: boolean;
  /** Returns the ports of the Service, or undefined while something that defines more of them is missing. */
  portsOf?(vm: M, context: Pick<Context, 'cache'>): readonly ServicePort[] | undefined;
  /** Other resources that the disks depend on. */
  readonly reads: readonly ResourceType[];
  readonly watches: readonly WatchSource[];
  /** Returns the size of a VM in CPUs and bytes. */
  sizeOf(vm: M): VmUsage;
  /** Returns the usage that the status reports. */
  reportedUsage(vm: M): VmUsage | undefined;
}

/** Properties of the API group that the builders of claims and Services use. */
export type GroupTexts = Pick<VmResourceGroup, 'vms' | 'words' | 'wayOut'>;
