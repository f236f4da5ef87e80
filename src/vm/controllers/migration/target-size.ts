import type { Vmi, Vmim } from '#api/kubevirt/resources';
import { type LauncherSize, parseLauncherSize } from '#api/launcher-size';
import { compare, parseQuantity } from '#platform/base/quantity';
import type { Pod } from '#platform/kube/kinds/pod';
import { launcherSize } from '#vm/engine/launcher/resources';
import { WORKLOAD_UPDATE_LABEL } from './settings.ts';

/**
 * What the next place of a machine is to be for: what its instance asks for by now, but all sockets that it has. They
 * were perhaps on their way when fewer were asked for, and a guest that runs cannot give them back.
 */
export function targetSize({ spec, status }: Vmi, place: Pod | undefined): LauncherSize {
  const asked = launcherSize(spec);
  return { ...asked, sockets: Math.max(asked.sockets, heldSockets(place) ?? status?.currentCPUTopology?.sockets ?? 0) };
}

/** Whether a machine is in a place of the size that it is to have; unknown where nobody can say. */
export function hasTargetSize(vmi: Vmi, place: Pod | undefined): boolean | undefined {
  const held = parseLauncherSize(place?.metadata.annotations);
  return held === undefined ? undefined : isSame(held, targetSize(vmi, place));
}

/** Whether a migration would bring a machine to less than it runs with. */
export function isTooSmall(target: Pod, source: Pod | undefined): boolean {
  return (heldSockets(target) ?? 0) < (heldSockets(source) ?? 0);
}

/** Whether a migration that was made for the size of the machine would not bring the one that is asked for by now. */
export function isOutOfDate({ metadata }: Vmim, vmi: Vmi, source: Pod | undefined, target: Pod | undefined): boolean {
  if (metadata.labels?.[WORKLOAD_UPDATE_LABEL] === undefined || source === undefined) return false;
  if (target === undefined) return hasTargetSize(vmi, source) === true;
  const held = parseLauncherSize(target.metadata.annotations);
  return held !== undefined && !isSame(held, targetSize(vmi, source));
}

const heldSockets = (pod: Pod | undefined) => parseLauncherSize(pod?.metadata.annotations)?.sockets;

const isSame = (a: LauncherSize, b: LauncherSize) =>
  a.sockets === b.sockets && compare(parseQuantity(a.memory), parseQuantity(b.memory)) === 0;
