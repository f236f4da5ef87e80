import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { claimedDisks } from '#api/hypersdk/claims';
import type { Disk } from '#api/hypersdk/disk';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { START_NOW } from '#api/operation-request';
import type { Blocker } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { claimBlocker } from '../claims.ts';
import { unsupportedDevice } from './devices.ts';
import { withTemplate } from './template.ts';

/** Desired VM together with its dependencies. */
export interface DesiredSpec {
  readonly spec: VirtualMachine['spec'];
  readonly disks: readonly ClaimedDisk<Disk>[];
  /** Identifies the inputs of the instance besides the VM itself. */
  readonly basis?: string;
  /** Reason why the VM is not started yet. */
  readonly blocked?: Blocker;
}

export function desiredSpecOf(vm: VirtualMachine, dependencies: Partial<VmDependencies> = {}): DesiredSpec {
  const { spec, basis, blocked: byTemplate } = withTemplate(vm, dependencies.template);
  const disks = claimedDisks(vm.metadata.name, spec);
  const blocked =
    byTemplate ??
    unsupportedDevice(spec) ??
    withoutSecret(spec, dependencies.secret) ??
    claimBlocker(disks, dependencies.claims) ??
    (dependencies.image?.state === 'waits' ? dependencies.image.blocker : undefined) ??
    carbonBlocker(vm, dependencies.carbon);
  return { spec, disks, ...(basis === undefined ? {} : { basis }), ...(blocked === undefined ? {} : { blocked }) };
}

function withoutSecret({ cloudInit }: VirtualMachine['spec'], secret: VmDependencies['secret']): Blocker | undefined {
  if (secret !== 'missing') return undefined;
  const message = `Secret ${cloudInit?.secretRef?.name}, referenced by spec.cloudInit.secretRef, not found, waiting`;
  return { reason: 'NotFound', message };
}

/** Returns the carbon blocker, which an immediate start overrides. */
function carbonBlocker({ metadata }: VirtualMachine, carbon: VmDependencies['carbon']): Blocker | undefined {
  return metadata.annotations?.[START_NOW] === `${metadata.generation}` ? undefined : carbon?.waits;
}
