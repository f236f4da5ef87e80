import type { GroupName } from '../groups.ts';

/** Disks that a group creates for its VMs. Each of them is a PersistentVolumeClaim. */

/** Source of a new disk: an image, which is named but not downloaded, or a copy of a claim. */
export type DiskOrigin =
  | { readonly image: string; readonly checksum?: string; readonly claim?: undefined }
  | { readonly claim: string; readonly image?: undefined };

/** Fields that disks of every group have. */
export interface PlainDisk {
  readonly name: string;
  /** Size as a quantity. */
  readonly size: string | number;
  /** Storage class. Defaults to that of the cluster. */
  readonly storageClass?: string;
}

/** Disk with everything that its claim is created from. */
export interface ClaimedDisk<D extends PlainDisk = PlainDisk> {
  readonly disk: D;
  /** Name of its claim. */
  readonly claim: string;
  /** If absent, the disk is empty. */
  readonly origin?: DiskOrigin;
  /** Field of the spec that sets the origin. */
  readonly originField: string;
  /** Access mode. Defaults to ReadWriteMany, which live migration requires. */
  readonly accessMode?: string;
  /** No size was requested, so any size of its claim is accepted. */
  readonly anySize?: true;
}

/** Labels and annotations that connect the VMs of a group with their claims. */
export interface ClaimKeys {
  /** Label of everything that is created for a VM. Its value is the VM's name. */
  readonly machine: string;
  /** Annotation of a VM. If "true", its claims have no owner and outlive it. */
  readonly retain: string;
  /** Annotation of a VM with the access mode of its new claims, for storage that does not support ReadWriteMany. */
  readonly accessMode: string;
}

export const claimWords = (group: GroupName): ClaimKeys => ({
  machine: `${group}/vm`,
  retain: `${group}/retain-disks`,
  accessMode: `${group}/disk-access-mode`,
});
