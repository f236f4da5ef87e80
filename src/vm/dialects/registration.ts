import type { Kind } from '#platform/schema/kind';
import type { Admitter } from '#vm/admission/admitter';
import type { Dialect } from '#vm/engine/dialect';

/** Options of a new VM, as a user gives them on the command line. */
export interface NewVmOptions {
  readonly cpus: number;
  /** Memory as a quantity. */
  readonly memory: string;
  readonly running: boolean;
  /** Image to boot from. A group that requires one has its own default. */
  readonly image?: string;
  readonly template?: string;
  readonly templateNamespace?: string;
  readonly checksum?: { readonly type: 'md5' | 'sha256' | 'sha512'; readonly value: string };
  readonly disk?: readonly VmDisk[];
  /** User data for cloud-init. */
  readonly userData?: string;
}

export type NewVmExtra = 'template' | 'templateNamespace' | 'checksum' | 'disk' | 'userData';

export interface VmDisk {
  readonly name: string;
  readonly size?: string;
  readonly storageClass?: string;
}

/** Media that a VM boots from and stores data on. */
export interface VmMedia {
  readonly image?: string | undefined;
  readonly template?: string | undefined;
  readonly disks: readonly VmDisk[];
}

/** Everything about an API group that programs need, besides its kinds and its controllers. */
export interface DialectRegistration {
  readonly dialect: Dialect;
  /** Admitters of all kinds of the group. */
  readonly admitters: readonly Admitter[];
  /** Kinds that the admitters look up. */
  readonly lookups?: readonly Kind[];
  /** Builds the spec of the smallest VM with this size. */
  newVmSpec(options: NewVmOptions): object;
  /** Options besides size and image that `newVmSpec` supports. */
  readonly newVmExtras?: readonly NewVmExtra[];
  /** Returns the image and the disks by the spec, which may be incomplete. Defaults to none. */
  mediaOf?(spec: object): VmMedia;
  /** Example to apply for the first VMs: a file, or a directory that ends in a slash. */
  readonly example: string;
}
