import { isBound } from '#control-plane/scheduler/volumes/pod-volume-claims';
import type { Client } from '#platform/kube/client';
import type { Pod } from '#platform/kube/kinds/pod';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '#platform/kube/kinds/storage';
import { BIND_COMPLETED, SELECTED_NODE } from '#platform/kube/kinds/volume-binding';
import { DRIVER, HOSTNAME } from './random-part.ts';

/** Prefix of provisioned volumes. */
export const MADE = 'made-for-';

/** Names of the claims of a pod. */
export function claimNamesOf({ spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: source }) =>
    source === undefined ? [] : [(source as { claimName: string }).claimName],
  );
}

/**
 * Acts on the decision of a scheduler about the claims of a pod: binds the chosen volumes and provisions the requested
 * ones.
 */
export async function bindClaims(client: Client, pod: Pod): Promise<void> {
  const { namespace = '' } = pod.metadata;
  for (const name of claimNamesOf(pod)) {
    const claim = await client.get(PERSISTENT_VOLUME_CLAIMS, name, { namespace });
    if (isBound(claim)) continue;
    const volume = (await volumeFor(client, claim)) ?? (await madeVolume(client, claim));
    if (volume !== undefined) await bind(client, claim, volume);
  }
}

async function volumeFor(client: Client, { metadata }: PersistentVolumeClaim): Promise<PersistentVolume | undefined> {
  const { items } = await client.list(PERSISTENT_VOLUMES);
  return items.find(({ spec }) => spec.claimRef?.uid === metadata.uid);
}

async function madeVolume(client: Client, claim: PersistentVolumeClaim): Promise<PersistentVolume | undefined> {
  const { metadata, spec } = claim;
  const node = metadata.annotations?.[SELECTED_NODE];
  if (node === undefined) return undefined;
  const { name = '', namespace = '', uid = '' } = metadata;
  const terms = [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values: [node] }] }];
  return await client.create(PERSISTENT_VOLUMES, {
    metadata: { name: `${MADE}${name}` },
    spec: {
      accessModes: spec.accessModes ?? [],
      capacity: { storage: spec.resources?.requests?.['storage'] ?? '' },
      csi: { driver: DRIVER, volumeHandle: name },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      storageClassName: spec.storageClassName ?? '',
      nodeAffinity: { required: { nodeSelectorTerms: terms } },
    },
  });
}

async function bind(client: Client, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
  const { name = '', namespace = '' } = claim.metadata;
  const volumeName = volume.metadata.name ?? '';
  const status = { phase: 'Bound', accessModes: volume.spec.accessModes, capacity: volume.spec.capacity };
  const merge = (body: object) => ({ type: 'merge', body }) as const;
  await client.patch(PERSISTENT_VOLUMES, volumeName, merge({ status: { phase: 'Bound' } }), { subresource: 'status' });
  await client.patch(PERSISTENT_VOLUME_CLAIMS, name, merge({ status }), { namespace, subresource: 'status' });
  const annotations = { [BIND_COMPLETED]: 'yes' };
  await client.patch(PERSISTENT_VOLUME_CLAIMS, name, merge({ metadata: { annotations }, spec: { volumeName } }), {
    namespace,
  });
}
