import type { ClaimedDisk } from '#api/disk/claimed-disk';
import type { Blocker } from '#vm/engine/dialect';
import type { ClaimState, ImageVerification } from '#vm/engine/vm-dependencies';
import { type ConditionDraft, conditionFalse, conditionTrue } from './conditions.ts';

/** Returns the blocker for a claim that another VM has, that cannot be created yet, or that is about to be created. */
export function claimBlocker(
  disks: readonly ClaimedDisk[],
  claims: ReadonlyMap<string, ClaimState> | undefined,
): Blocker | undefined {
  if (claims === undefined) return undefined;
  const seen = disks.map(({ disk }) => claims.get(disk.name));
  const taken = seen.find((claim) => claim?.state === 'taken');
  if (taken !== undefined) return { reason: 'ClaimTaken', message: taken.message ?? '' };
  const waits = seen.find((claim) => claim?.state === 'missing' && claim.reason !== undefined);
  if (waits?.reason !== undefined) return { reason: waits.reason, message: waits.message ?? '' };
  const missing = disks.find(({ disk }) => (claims.get(disk.name)?.state ?? 'missing') === 'missing');
  // A pod could not be scheduled before that.
  const pending = seen.find((claim) => claim?.state === 'pending' && claim.waits !== true);
  if (missing === undefined) {
    const { reason = 'ClaimPending', message = '' } = pending ?? {};
    return pending === undefined ? undefined : { reason, message, transient: true };
  }
  const message = `PersistentVolumeClaim ${missing.claim} of disk ${missing.disk.name} not found, waiting`;
  return { reason: 'ClaimMissing', message, transient: true };
}

/** State of the image that a disk is created from. */
export interface ImageState {
  readonly verdict: ImageVerification | undefined;
  /** Digest that was found for the image. */
  readonly verified: string | undefined;
}

/** Returns the DiskReady condition. A running VM (`isUp`) has all of its disks, whatever is observed of them. */
export function diskReadyCondition(
  disks: readonly ClaimedDisk[],
  claims: ReadonlyMap<string, ClaimState> | undefined,
  isUp: boolean,
  image?: ImageState,
): ConditionDraft {
  if (disks.length === 0) return conditionTrue('DiskReady', 'NoDisks', 'the VM has no disks');
  const states = disks.map(({ disk, claim, origin }) => ({ claim, origin, claimState: claims?.get(disk.name) }));
  const small = states.find(
    ({ claimState }) => claimState?.state === 'bound' && claimState.reason !== undefined,
  )?.claimState;
  const lacking = states.find(({ claimState }) => claimState?.state !== 'bound');
  const held = !isUp && image?.verdict?.state === 'waits' ? image.verdict.blocker : undefined;
  if (held !== undefined && (lacking === undefined || lacking.claimState?.waits === true)) {
    return conditionFalse('DiskReady', held.reason, held.message);
  }
  if (lacking === undefined || (isUp && lacking.claimState?.state !== 'taken')) {
    if (small?.reason !== undefined) return conditionFalse('DiskReady', small.reason, small.message ?? '');
    const texts = states.map(({ claim, origin, claimState }) => {
      const words = [...(claimState?.state === 'bound' ? [claimState.message] : []), digestWords(origin, image)];
      const said = words.filter((each) => each !== undefined);
      return said.length === 0 ? claim : `${claim} (${said.join('; ')})`;
    });
    return conditionTrue('DiskReady', 'DisksBound', `bound: ${texts.join(', ')}`);
  }
  const { claimState, claim } = lacking;
  const reason = claimState?.reason ?? (claimState?.state === 'pending' ? 'ClaimPending' : 'ClaimMissing');
  const message =
    (claimState?.waits === true
      ? `PersistentVolumeClaim ${claim} will be bound when the VM is scheduled`
      : undefined) ??
    claimState?.message ??
    `PersistentVolumeClaim ${claim} ${claimState?.state === 'pending' ? 'has no volume yet' : 'not found, waiting'}`;
  return conditionFalse('DiskReady', reason, message);
}

/** Explains if nothing has compared a requested digest, so that users do not assume it. */
function digestWords(origin: ClaimedDisk['origin'], image: ImageState | undefined): string | undefined {
  const { checksum } = origin?.image === undefined ? {} : origin;
  if (checksum === undefined) return undefined;
  const digest = `the ${checksum.split(':', 1)[0]} of its image is`;
  if (image?.verified === checksum) return `${digest} verified`;
  const { verdict } = image ?? {};
  if (verdict === undefined) return `${digest} not verified, because images are not downloaded here`;
  return verdict.state === 'left' ? `${digest} not verified: ${verdict.why}` : `${digest} not verified yet`;
}
