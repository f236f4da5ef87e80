import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { isRestoring } from '#api/disk/request';
import { TemporaryError } from '#platform/base/errors';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { isForbidden, isInvalid } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { Copies } from '#vm/storage/disk/active-clone';
import { changedClaim, newClaim } from './claim.ts';
import type { ClaimErrors } from './claim-errors.ts';
import { claimState } from './claim-state.ts';
import { type CopySettings, copyFor, withoutOrigin } from './clone.ts';
import { createUnlessExists } from './create-unless-exists.ts';
import type { OwnerVm, VmResourceGroup } from './group.ts';
import type { ResourceEntry } from './resource-entry.ts';

/** Delay after which a rejected claim is created again. */
const REFUSED_MS = 30_000;

/** Creates and changes the claims of VMs of one API group. */
export class ClaimWriter<M extends OwnerVm> {
  readonly #group: VmResourceGroup<M>;
  readonly #copies: CopySettings;
  readonly #errors: ClaimErrors;

  constructor(group: VmResourceGroup<M>, copies: CopySettings, errors: ClaimErrors) {
    this.#group = group;
    this.#copies = copies;
    this.#errors = errors;
  }

  async provide(
    vm: M,
    requested: ClaimedDisk,
    copies: Copies | 'awaited',
    entry: ResourceEntry,
    context: Context,
  ): Promise<void> {
    const disk = withoutOrigin(requested, copies);
    const found = context.cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(vm.metadata.namespace, disk.claim));
    if (found === undefined) await this.#create(vm, disk, copies, entry, context);
    else await this.#change(vm, disk, found, entry, context);
  }

  async #create(
    vm: M,
    disk: ClaimedDisk,
    copies: Copies | 'awaited',
    entry: ResourceEntry,
    context: Context,
  ): Promise<void> {
    // A restore in progress may recreate the claims.
    if (isRestoring(vm.metadata.annotations)) return;
    const { cache, client } = context;
    const group = this.#group;
    const key = keyOf(vm);
    const claims = cache(PERSISTENT_VOLUME_CLAIMS);
    const origin = disk.origin?.claim;
    const source = origin === undefined ? undefined : claims.get(keyIn(vm.metadata.namespace, origin));
    if (claimState(group, undefined, vm, disk, source, undefined).reason !== undefined) return;
    const copied = await copyFor(group, vm, disk, copies, context, this.#copies);
    const claim = newClaim(group, vm, disk, copied, source);
    const made = await createUnlessExists(client.create(PERSISTENT_VOLUME_CLAIMS, claim)).catch((error: unknown) =>
      this.#fail(key, disk, error),
    );
    this.#errors.succeeded(key, disk.claim);
    if (made !== undefined) entry.claimWrites.wrote(made);
  }

  async #change(
    vm: M,
    disk: ClaimedDisk,
    found: PersistentVolumeClaim,
    entry: ResourceEntry,
    { client, events }: Context,
  ): Promise<void> {
    const changed = changedClaim(this.#group, found, vm, disk);
    if (changed === undefined) return;
    try {
      entry.claimWrites.wrote(await client.update(PERSISTENT_VOLUME_CLAIMS, changed));
    } catch (error) {
      if (!isForbidden(error) && !isInvalid(error)) throw error;
      // Only another class or size can help.
      const message = `disk ${disk.disk.name} cannot be updated to match spec: ${(error as Error).message}`;
      entry.warn(vm, 'DiskNotChanged', message, events);
    }
  }

  /** Records a rejected claim. It may be accepted later, when a quota has room again or a policy was removed. */
  #fail(key: string, { claim }: ClaimedDisk, error: unknown): never {
    if (!isForbidden(error) && !isInvalid(error)) throw error;
    const { message } = error as Error;
    this.#errors.failed(key, claim, message);
    throw new TemporaryError(`PersistentVolumeClaim ${claim} was rejected: ${message}`, { retryAfterMs: REFUSED_MS });
  }
}
