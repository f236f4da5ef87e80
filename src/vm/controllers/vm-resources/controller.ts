import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { isRestoring } from '#api/disk/request';
import { OPERATIONS } from '#api/hypersdk/operation-resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { TemporaryError } from '#platform/base/errors';
import { NAMESPACES, SERVICES } from '#platform/kube/kinds/core';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '#platform/kube/kinds/storage';
import { isAlreadyExists, isForbidden, isInvalid } from '#platform/kube/kube-error';
import type { Context, Controller } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { Copies } from '#vm/storage/disk/active-clone';
import { changedClaim, newClaim } from './claim.ts';
import type { ClaimErrors } from './claim-errors.ts';
import { claimState } from './claim-state.ts';
import { copiesFor, copyFor, withoutOrigin } from './clone.ts';
import type { OwnerVm, VmResourceGroup } from './group.ts';
import { claimWatch } from './indices.ts';
import { newService } from './service.ts';

/** Delay after which a rejected claim is created again. */
const REFUSED_MS = 30_000;

/**
 * Reconciles the claims and the Service of the VMs of an API group. `operations` says whether operations, which may
 * create VMs as copies, are served; `onlyNamespace` is the only managed namespace, if set.
 */
export function vmResources<M extends OwnerVm>(
  group: VmResourceGroup<M>,
  operations: boolean,
  refusals: ClaimErrors,
  onlyNamespace?: string,
): Controller<M> {
  const { vms } = group;
  const expectedClaims = new Expectations();
  const expectedServices = new Expectations();
  /** Last event by VM, so that each is recorded once. */
  const told = new Map<string, string>();

  function tell(vm: M, reason: string, message: string, { events }: Context): void {
    const key = keyOf(vm);
    if (told.get(key) === message) return;
    told.set(key, message);
    events.event(vm, 'Warning', reason, message);
  }

  async function provideService(vm: M, context: Context): Promise<void> {
    const { cache, client } = context;
    const key = keyOf(vm);
    if (!expectedServices.met(key, cache(SERVICES))) return;
    const found = cache(SERVICES).get(key);
    if (found !== undefined) {
      const isOwn = found.metadata.ownerReferences?.some(({ uid }) => uid === vm.metadata.uid) === true;
      const message = `Service ${vm.metadata.name} is there already and is left alone: the machine has none of its own`;
      if (!isOwn) tell(vm, 'ServiceNameTaken', message, context);
      return;
    }
    const service = newService(group, vm);
    if (service === undefined) {
      const message = `${vm.metadata.name} cannot be the name of a Service, which begins with a letter and has no dots: the machine has none`;
      return tell(vm, 'NoService', message, context);
    }
    const made = await unlessThere(client.create(SERVICES, service));
    if (made !== undefined) expectedServices.wrote(key, made);
  }

  async function provideClaim(vm: M, asked: ClaimedDisk, copies: Copies | 'awaited', context: Context): Promise<void> {
    const disk = withoutOrigin(asked, copies);
    const { cache, client } = context;
    const key = keyOf(vm);
    const claims = cache(PERSISTENT_VOLUME_CLAIMS);
    const find = (name: string) => claims.get(keyIn(vm.metadata.namespace, name));
    const found = find(disk.claim);
    if (found === undefined) {
      // A restore in progress may recreate the claims.
      if (isRestoring(vm.metadata.annotations)) return;
      const source = disk.origin?.claim === undefined ? undefined : find(disk.origin.claim);
      if (claimState(group, undefined, vm, disk, source, undefined).reason !== undefined) return;
      const copied = await copyFor(group, vm, disk, copies, context, { operations, onlyNamespace });
      const claim = newClaim(group, vm, disk, copied, source);
      const made = await unlessThere(client.create(PERSISTENT_VOLUME_CLAIMS, claim)).catch((error: unknown) =>
        refuse(key, disk, error),
      );
      refusals.succeeded(key, disk.claim);
      if (made !== undefined) expectedClaims.wrote(key, made);
      return;
    }
    const changed = changedClaim(group, found, vm, disk);
    if (changed === undefined) return;
    try {
      expectedClaims.wrote(key, await client.update(PERSISTENT_VOLUME_CLAIMS, changed));
    } catch (error) {
      if (!isForbidden(error) && !isInvalid(error)) throw error;
      // Only another class or size can help.
      tell(vm, 'DiskNotChanged', `disk ${disk.disk.name} cannot be as spec says: ${(error as Error).message}`, context);
    }
  }

  /** Records a rejected claim. It may be accepted later, when a quota has room again or a policy was removed. */
  function refuse(key: string, { claim }: ClaimedDisk, error: unknown): never {
    if (!isForbidden(error) && !isInvalid(error)) throw error;
    const { message } = error as Error;
    refusals.failed(key, claim, message);
    throw new TemporaryError(`PersistentVolumeClaim ${claim} is refused: ${message}`, { retryAfterMs: REFUSED_MS });
  }

  return {
    name: `virtualmachine-parts.${vms.group}`,
    for: vms,
    concurrency: 64,
    owns: group.hasService ? [SERVICES] : [],
    reads: [STORAGE_CLASSES, ...(operations ? [NAMESPACES, VM_SNAPSHOTS, OPERATIONS] : [])],
    watches: [claimWatch(group), ...group.watches],
    async reconcile(vm, context) {
      if (vm.metadata.deletionTimestamp !== undefined) return;
      const key = keyOf(vm);
      const isCurrent = expectedClaims.met(key, context.cache(PERSISTENT_VOLUME_CLAIMS));
      const disks = isCurrent ? (group.disksOf(vm, context) ?? []) : [];
      const copies = copiesFor(group, vm, context, operations);
      await Promise.all([
        ...disks.map((disk) => provideClaim(vm, disk, copies, context)),
        ...(group.hasService ? [provideService(vm, context)] : []),
      ]);
    },
    forget(key) {
      expectedClaims.forget(key);
      refusals.forget(key);
      expectedServices.forget(key);
      told.delete(key);
    },
  };
}

/** Returns the created object, or undefined if it already exists, which the cache is about to show. */
async function unlessThere<T>(making: Promise<T>): Promise<T | undefined> {
  try {
    return await making;
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}
