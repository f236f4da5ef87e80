import type { Client } from '#platform/kube/client';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { PERSISTENT_VOLUMES, type PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { ignoreNotFound, KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';

export const VOLUME_SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';

/** Class that defines how a CSI driver captures volumes. */
export interface VolumeSnapshotClass extends KubeObject {
  readonly driver: string;
}

export const VOLUME_SNAPSHOT_CLASSES = resourceType<VolumeSnapshotClass>(
  `${VOLUME_SNAPSHOT_GROUP}/v1`,
  'VolumeSnapshotClass',
  'volumesnapshotclasses',
  'Cluster',
);

const IS_DEFAULT = 'snapshot.storage.kubernetes.io/is-default-class';

/** Class to capture a disk with, or the reason if there is none. */
export type ChosenClass = { readonly name: string } | { readonly refused: string };

/** Returns the class for volumes of a driver: its default, or its only one. */
export function classFor(driver: string, classes: readonly VolumeSnapshotClass[]): ChosenClass {
  const own = classes.filter((each) => each.driver === driver);
  const marked = own.filter(({ metadata }) => metadata.annotations?.[IS_DEFAULT] === 'true');
  const [only, ...others] = marked.length === 0 ? own : marked;
  if (only === undefined) return { refused: `driver ${driver} has no VolumeSnapshotClass` };
  if (others.length === 0) return { name: only.metadata.name ?? '' };
  const names = [only, ...others].map(({ metadata }) => metadata.name ?? '');
  const what = marked.length === 0 ? 'none is' : 'several are';
  return {
    refused: `driver ${driver} has the VolumeSnapshotClasses ${names.join(', ')}, and ${what} marked as the default (${IS_DEFAULT})`,
  };
}

const NOT_SERVED =
  'its storage class is not simulated, and the cluster does not support VolumeSnapshots (snapshot.storage.k8s.io)';

/**
 * Returns the class for each claim that has a volume; the driver of others is not known yet. If the cluster does not
 * serve VolumeSnapshots, none can be captured.
 */
export async function classesFor(
  claims: readonly PersistentVolumeClaim[],
  client: Client,
): Promise<ReadonlyMap<string, ChosenClass>> {
  const chosen = new Map<string, ChosenClass>();
  if (claims.length === 0) return chosen;
  const classes = await classesOf(client);
  for (const { metadata, spec, status } of claims) {
    const { name = '' } = metadata;
    if (classes === undefined) chosen.set(name, { refused: NOT_SERVED });
    else if (status?.phase === 'Bound') chosen.set(name, await classOf(spec.volumeName ?? '', classes, client));
  }
  return chosen;
}

async function classOf(name: string, classes: readonly VolumeSnapshotClass[], client: Client): Promise<ChosenClass> {
  const volume = await ignoreNotFound(client.get(PERSISTENT_VOLUMES, name));
  const { driver } = (volume?.spec['csi'] ?? {}) as { readonly driver?: string };
  return driver === undefined ? { refused: `PersistentVolume ${name} has no CSI driver` } : classFor(driver, classes);
}

/** Lists the classes. Returns undefined if the cluster does not serve them. */
async function classesOf(client: Client): Promise<readonly VolumeSnapshotClass[] | undefined> {
  try {
    return (await client.list(VOLUME_SNAPSHOT_CLASSES)).items;
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return undefined;
    throw error;
  }
}
