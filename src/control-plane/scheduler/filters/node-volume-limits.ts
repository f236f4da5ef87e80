import type { CsiNode } from '#platform/kube/kinds/storage';
import { storageClassNameOf } from '#platform/kube/kinds/volume-binding';
import type { StorageView } from '../framework/cluster-view.ts';
import { type Filter, filterStatus } from '../framework/filter.ts';
import type { PodInfo } from '../pod/pod-info.ts';

const name = 'NodeVolumeLimits';
const TOO_MANY = filterStatus(name, 'node(s) exceed max volume count', true);

/** Rejects nodes whose driver cannot attach more volumes. */
export const nodeVolumeLimits: Filter = {
  name,
  prepare(pod, { storage, nodes }) {
    const own = attachmentsOf(pod, storage);
    if (own.size === 0) return undefined;
    return {
      check(slot) {
        const limits = limitsOf(storage.csiNode(nodes.nameAt(slot)));
        if (limits.size === 0) return undefined;
        const attached = new Map<string, string>();
        for (const other of nodes.podsAt(slot).values()) {
          for (const [volume, driver] of attachmentsOf(other, storage)) attached.set(volume, driver);
        }
        for (const [driver, limit] of limits) {
          const more = count(own, driver, attached);
          if (more > 0 && count(attached, driver) + more > limit) return TOO_MANY;
        }
        return undefined;
      },
    };
  },
};

/** Counts the volumes of a driver, except those that are already attached. */
function count(volumes: ReadonlyMap<string, string>, driver: string, without?: ReadonlyMap<string, string>): number {
  let sum = 0;
  for (const [volume, by] of volumes) if (by === driver && without?.has(volume) !== true) sum++;
  return sum;
}

function limitsOf(csiNode: CsiNode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const driver of csiNode?.spec.drivers ?? []) {
    if (driver.allocatable?.count !== undefined) limits.set(driver.name, driver.allocatable.count);
  }
  return limits;
}

/**
 * Returns the volumes of a pod that a driver attaches, with their drivers. A volume yet to be provisioned counts too.
 */
function attachmentsOf({ claims, volumes }: PodInfo, storage: StorageView): ReadonlyMap<string, string> {
  const attachments = new Map<string, string>();
  for (const volume of volumes) {
    const csi = (volume as { readonly csi?: { readonly driver?: string } }).csi;
    if (csi?.driver !== undefined) attachments.set(`inline/${volume.name}`, csi.driver);
  }
  for (const { key } of claims) {
    const claim = storage.claim(key);
    if (claim === undefined) continue;
    const volume = storage.volume(claim.spec.volumeName ?? '');
    const csi = volume?.spec['csi'] as { readonly driver?: string; readonly volumeHandle?: string } | undefined;
    if (csi?.driver !== undefined) attachments.set(`${csi.driver}/${csi.volumeHandle ?? ''}`, csi.driver);
    else if (volume === undefined) {
      const provisioner = storage.storageClass(storageClassNameOf(claim))?.provisioner;
      if (provisioner !== undefined) attachments.set(`claim/${key}`, provisioner);
    }
  }
  return attachments;
}
