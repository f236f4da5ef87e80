import { LIVE_MIGRATION_ANNOTATION } from '#api/instance-request';
import type { InstanceSpec, VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import type { Capabilities } from '../machine-driver.ts';

/** Describes whether and how a machine can be live-migrated, in KubeVirt's terms. */
export interface Migratability {
  readonly method: 'LiveMigration' | 'BlockMigration';
  /** Reason why it cannot be migrated. */
  readonly blocker?: { readonly reason: string; readonly message: string };
}

const SHARED = 'live migration requires that all PVCs must be shared (using ReadWriteMany access mode)';

const UNABLE = { reason: 'NotSupported', message: 'the runtime of this node does not support live migration' };

type FindClaim = (name: string) => PersistentVolumeClaim | undefined;

export function migratability(
  { spec, metadata }: Pick<VirtualMachineInstance, 'spec' | 'metadata'>,
  findClaim: FindClaim,
  { migration: canMigrate }: Pick<Capabilities, 'migration'>,
): Migratability {
  const denial = migrationDenial(metadata) ?? (canMigrate ? undefined : UNABLE);
  const blocker = denial ?? diskBlocker(spec, findClaim) ?? deviceBlocker(spec);
  const copied = (spec.volumes ?? []).some(
    ({ persistentVolumeClaim, dataVolume, hostDisk }) =>
      (persistentVolumeClaim ?? dataVolume ?? hostDisk) === undefined,
  );
  const method = copied || blocker?.reason === 'DisksNotLiveMigratable' ? 'BlockMigration' : 'LiveMigration';
  return { method, ...(blocker === undefined ? {} : { blocker }) };
}

/** Returns the denial by the owner of the VM, regardless of what the machine supports. */
function migrationDenial({ annotations }: VirtualMachineInstance['metadata']): Migratability['blocker'] {
  if (annotations?.[LIVE_MIGRATION_ANNOTATION] !== 'false') return undefined;
  return { reason: 'LiveMigrationNotAllowed', message: 'live migration is not allowed for this VM' };
}

function diskBlocker({ volumes = [] }: InstanceSpec, findClaim: FindClaim): Migratability['blocker'] {
  for (const { persistentVolumeClaim, dataVolume, hostDisk } of volumes) {
    const claimName = persistentVolumeClaim?.claimName ?? dataVolume?.name;
    if (claimName !== undefined) {
      const modes = findClaim(claimName)?.spec.accessModes;
      const known =
        modes === undefined ? `Unable to determine if PVC ${claimName} is shared` : `PVC ${claimName} is not shared`;
      if (modes?.includes('ReadWriteMany') !== true) return disks(`cannot migrate VMI: ${known}, ${SHARED}`);
    }
    if (hostDisk !== undefined && hostDisk.shared !== true) return disks('cannot migrate VMI with non-shared HostDisk');
  }
  return undefined;
}

const disks = (message: string) => ({ reason: 'DisksNotLiveMigratable', message });

function deviceBlocker({ domain }: InstanceSpec): Migratability['blocker'] {
  const { gpus = [] } = domain.devices;
  const { hostDevices = [] } = domain.devices as { readonly hostDevices?: readonly unknown[] };
  if (gpus.length + hostDevices.length === 0) return undefined;
  return { reason: 'HostDeviceNotLiveMigratable', message: 'VMI uses a PCI host devices' };
}
