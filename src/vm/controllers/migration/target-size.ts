import type { Vmi, Vmim } from '#api/kubevirt/resources';
import { type LauncherSize, parseLauncherSize } from '#api/launcher-size';
import { compare, parseQuantity } from '#platform/base/quantity';
import type { Pod } from '#platform/kube/kinds/pod';
import { launcherSize } from '#vm/engine/launcher/resources';
import { WORKLOAD_UPDATE_LABEL } from './settings.ts';

/**
 * Returns the size of the next launcher: the size that the instance requests, but at least the sockets that it has. A
 * running guest cannot give sockets back, and some may have been in progress when fewer were requested.
 */
export function targetSize({ spec, status }: Vmi, activePod: Pod | undefined): LauncherSize {
  const requested = launcherSize(spec);
  return {
    ...requested,
    sockets: Math.max(requested.sockets, heldSockets(activePod) ?? status?.currentCPUTopology?.sockets ?? 0),
  };
}

/** Reports whether the launcher has the target size, or returns undefined if that is unknown. */
export function hasTargetSize(vmi: Vmi, activePod: Pod | undefined): boolean | undefined {
  const held = parseLauncherSize(activePod?.metadata.annotations);
  return held === undefined ? undefined : isSame(held, targetSize(vmi, activePod));
}

/** Reports whether a migration would leave the VM with less than it runs with. */
export function isTooSmall(target: Pod, source: Pod | undefined): boolean {
  return (heldSockets(target) ?? 0) < (heldSockets(source) ?? 0);
}

/** Reports whether a migration for a change of size would no longer bring the size that is requested now. */
export function isOutOfDate({ metadata }: Vmim, vmi: Vmi, source: Pod | undefined, target: Pod | undefined): boolean {
  if (metadata.labels?.[WORKLOAD_UPDATE_LABEL] === undefined || source === undefined) return false;
  if (target === undefined) return hasTargetSize(vmi, source) === true;
  const held = parseLauncherSize(target.metadata.annotations);
  return held !== undefined && !isSame(held, targetSize(vmi, source));
}

const heldSockets = (pod: Pod | undefined) => parseLauncherSize(pod?.metadata.annotations)?.sockets;

const isSame = (a: LauncherSize, b: LauncherSize) =>
  a.sockets === b.sockets && compare(parseQuantity(a.memory), parseQuantity(b.memory)) === 0;
