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
import type { Copies } from '#vm/storage/disk/clone-under-way';
import { changedClaim, newClaim } from './claim.ts';
import type { ClaimRefusals } from './claim-refusals.ts';
import { claimSight } from './claim-sight.ts';
import { asCloned, copiesFor, copyFor } from './clone.ts';
import type { Machine, PartsGroup } from './group.ts';
import { claimWatch } from './indices.ts';
import { newService } from './service.ts';

/** After which a claim that was refused is asked for again. */
const REFUSED_MS = 30_000;

/**
 * Gives the machines of a group the claims that their disks are on, and a Service by which they are found.
 * `operations`: whether there are any, which may have made machines as copies of others. `onlyNamespace`: the only one
 * that is managed, where it is one.
 */
export function machineParts<M extends Machine>(
  group: PartsGroup<M>,
  operations: boolean,
  refusals: ClaimRefusals,
  onlyNamespace?: string,
): Controller<M> {
  const { machines } = group;
  const expectedClaims = new Expectations();
  const expectedServices = new Expectations();
  /** By machine: what was last told, so that it is told once. */
  const told = new Map<string, string>();

  function tell(machine: M, reason: string, message: string, { events }: Context): void {
    const key = keyOf(machine);
    if (told.get(key) === message) return;
    told.set(key, message);
    events.event(machine, 'Warning', reason, message);
  }

  async function provideService(machine: M, context: Context): Promise<void> {
    const { cache, client } = context;
    const key = keyOf(machine);
    if (!expectedServices.met(key, cache(SERVICES))) return;
    const found = cache(SERVICES).get(key);
    if (found !== undefined) {
      const isOwn = found.metadata.ownerReferences?.some(({ uid }) => uid === machine.metadata.uid) === true;
      const message = `Service ${machine.metadata.name} is there already and is left alone: the machine has none of its own`;
      if (!isOwn) tell(machine, 'ServiceNameTaken', message, context);
      return;
    }
    const service = newService(group, machine);
    if (service === undefined) {
      const message = `${machine.metadata.name} cannot be the name of a Service, which begins with a letter and has no dots: the machine has none`;
      return tell(machine, 'NoService', message, context);
    }
    const made = await unlessThere(client.create(SERVICES, service));
    if (made !== undefined) expectedServices.wrote(key, made);
  }

  async function provideClaim(
    machine: M,
    asked: ClaimedDisk,
    copies: Copies | 'awaited',
    context: Context,
  ): Promise<void> {
    const disk = asCloned(asked, copies);
    const { cache, client } = context;
    const key = keyOf(machine);
    const claims = cache(PERSISTENT_VOLUME_CLAIMS);
    const find = (name: string) => claims.get(keyIn(machine.metadata.namespace, name));
    const found = find(disk.claim);
    if (found === undefined) {
      // Whoever restores it may make its claims anew.
      if (isRestoring(machine.metadata.annotations)) return;
      const source = disk.origin?.claim === undefined ? undefined : find(disk.origin.claim);
      if (claimSight(group, undefined, machine, disk, source, undefined).reason !== undefined) return;
      const copied = await copyFor(group, machine, disk, copies, context, { operations, onlyNamespace });
      const claim = newClaim(group, machine, disk, copied, source);
      const made = await unlessThere(client.create(PERSISTENT_VOLUME_CLAIMS, claim)).catch((error: unknown) =>
        refuse(key, disk, error),
      );
      refusals.made(key, disk.claim);
      if (made !== undefined) expectedClaims.wrote(key, made);
      return;
    }
    const changed = changedClaim(group, found, machine, disk);
    if (changed === undefined) return;
    try {
      expectedClaims.wrote(key, await client.update(PERSISTENT_VOLUME_CLAIMS, changed));
    } catch (error) {
      if (!isForbidden(error) && !isInvalid(error)) throw error;
      // Only another class, or another size, can help.
      tell(
        machine,
        'DiskNotChanged',
        `disk ${disk.disk.name} cannot be as spec says: ${(error as Error).message}`,
        context,
      );
    }
  }

  /** What the server will not have may be had later: a quota has room again, or a policy has gone. */
  function refuse(key: string, { claim }: ClaimedDisk, error: unknown): never {
    if (!isForbidden(error) && !isInvalid(error)) throw error;
    const { message } = error as Error;
    refusals.refused(key, claim, message);
    throw new TemporaryError(`PersistentVolumeClaim ${claim} is refused: ${message}`, { retryAfterMs: REFUSED_MS });
  }

  return {
    name: `virtualmachine-parts.${machines.group}`,
    for: machines,
    concurrency: 64,
    owns: group.hasService ? [SERVICES] : [],
    reads: [STORAGE_CLASSES, ...(operations ? [NAMESPACES, VM_SNAPSHOTS, OPERATIONS] : [])],
    watches: [claimWatch(group), ...group.watches],
    async reconcile(machine, context) {
      if (machine.metadata.deletionTimestamp !== undefined) return;
      const key = keyOf(machine);
      const isCurrent = expectedClaims.met(key, context.cache(PERSISTENT_VOLUME_CLAIMS));
      const disks = isCurrent ? (group.disksOf(machine, context) ?? []) : [];
      const copies = copiesFor(group, machine, context, operations);
      await Promise.all([
        ...disks.map((disk) => provideClaim(machine, disk, copies, context)),
        ...(group.hasService ? [provideService(machine, context)] : []),
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

/** What was made; undefined where somebody was faster, which the cache is about to show. */
async function unlessThere<T>(making: Promise<T>): Promise<T | undefined> {
  try {
    return await making;
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}
