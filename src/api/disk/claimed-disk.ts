import type { GroupName } from '../group-name.ts';

/** How groups that make disks for their machines keep them: one PersistentVolumeClaim each. */

/** What a disk is filled with when it is made: an image, which is named and not fetched, or a copy of a claim. */
export type DiskOrigin =
  | { readonly image: string; readonly checksum?: string; readonly claim?: undefined }
  | { readonly claim: string; readonly image?: undefined };

/** What every disk has, whatever its group says of it besides. */
export interface PlainDisk {
  readonly name: string;
  /** A quantity. */
  readonly size: string | number;
  /** That of the cluster where absent. */
  readonly storageClass?: string;
}

/** A disk with all that its claim is made from. */
export interface ClaimedDisk<D extends PlainDisk = PlainDisk> {
  readonly disk: D;
  /** Of its claim. */
  readonly claim: string;
  /** Empty where absent. */
  readonly origin?: DiskOrigin;
  /** Where the spec says what it is filled with. */
  readonly originField: string;
  /** How nodes may mount it; from several at once where absent, which a machine that moves while it runs needs. */
  readonly accessMode?: string;
  /** Nobody has asked for a size: any that its claim has will do. */
  readonly anySize?: true;
}

/** The words by which the machines of a group and their claims speak of each other. */
export interface ClaimWords {
  /** A label of everything that is made for a machine: its name. */
  readonly machine: string;
  /** On a machine, "true": its claims are nobody's and outlive it. */
  readonly retain: string;
  /** On a machine: the access mode of claims that are made for it, where ReadWriteMany cannot be had of its storage. */
  readonly accessMode: string;
}

export const claimWords = (group: GroupName): ClaimWords => ({
  machine: `${group}/vm`,
  retain: `${group}/retain-disks`,
  accessMode: `${group}/disk-access-mode`,
});
