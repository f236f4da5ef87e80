import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { claimedDisks } from '#api/hypersdk/claims';
import type { Disk } from '#api/hypersdk/disk';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { START_NOW } from '#api/operation-request';
import type { Blocker } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { withoutClaim } from '../claims.ts';
import { unfitDevice } from './devices.ts';
import { withTemplate } from './template.ts';

/** A machine as it is to be made, with all that surrounds it. */
export interface Wanted {
  readonly spec: VirtualMachine['spec'];
  readonly disks: readonly ClaimedDisk<Disk>[];
  /** What its instance is made from beside the machine itself. */
  readonly basis?: string;
  /** Why it is not started yet. */
  readonly blocked?: Blocker;
}

export function wantedOf(vm: VirtualMachine, around: Partial<VmDependencies> = {}): Wanted {
  const { spec, basis, blocked: byTemplate } = withTemplate(vm, around.template);
  const disks = claimedDisks(vm.metadata.name, spec);
  const blocked =
    byTemplate ??
    unfitDevice(spec) ??
    withoutSecret(spec, around.secret) ??
    withoutClaim(disks, around.claims) ??
    (around.image?.state === 'waits' ? around.image.blocker : undefined) ??
    patienceOf(vm, around.carbon);
  return { spec, disks, ...(basis === undefined ? {} : { basis }), ...(blocked === undefined ? {} : { blocked }) };
}

function withoutSecret({ cloudInit }: VirtualMachine['spec'], secret: VmDependencies['secret']): Blocker | undefined {
  if (secret !== 'missing') return undefined;
  const message = `Secret ${cloudInit?.secretRef?.name}, which spec.cloudInit.secretRef names, is not there: the machine is started when it is`;
  return { reason: 'NotFound', message };
}

/** What is clean electricity to a machine that somebody wants at once. */
function patienceOf({ metadata }: VirtualMachine, carbon: VmDependencies['carbon']): Blocker | undefined {
  return metadata.annotations?.[START_NOW] === `${metadata.generation}` ? undefined : carbon?.waits;
}
