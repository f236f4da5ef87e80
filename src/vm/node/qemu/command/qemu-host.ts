/** Facts about QEMU on a host that a command line depends on. */
export interface QemuHost {
  /** Absolute path of qemu-system-x86_64. */
  readonly binary: string;
  readonly accelerator: 'kvm' | 'tcg';
  /** Group of /dev/kvm, if it is used. */
  readonly kvmGroup?: number;
  /** Versioned machine types by the alias that users write, such as pc-q35-7.2 by q35. */
  readonly machineTypes: ReadonlyMap<string, string>;
  /** Guests on the pod network may reach what the namespace of their machine reaches. */
  readonly outbound?: boolean;
}

/** Disk that is ready to be used. The driver wrote the image itself, or has checked it. */
export interface PreparedDisk {
  /** Name of the disk in the spec. */
  readonly name: string;
  /** Absolute path, or a path relative to the machine directory. */
  readonly file: string;
  readonly format: 'qcow2' | 'raw';
  readonly readonly: boolean;
  /** Image below an overlay, if it is not at the path that the overlay names. */
  readonly base?: { readonly file: string; readonly format: 'qcow2' | 'raw' };
}
