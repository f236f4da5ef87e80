import { PODS, type Pod } from '#platform/kube/kinds/pod';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '#platform/kube/kinds/storage';
import type { Index } from '#platform/runtime/cache';
import { type Controller, watchSource } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';

/** Returns the keys of the claims that a pod uses. Ephemeral claims are named after the pod and the volume. */
export function claimsOf({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [keyIn(metadata.namespace, persistentVolumeClaim.claimName)];
    return ephemeral === undefined ? [] : [keyIn(metadata.namespace, `${metadata.name}-${name}`)];
  });
}

/** An unscheduled pod cannot use a terminating claim, because kubelets reject it. */
const isPlaced = ({ spec }: Pod) => (spec.nodeName ?? '') !== '';

const byClaim: Index<Pod> = { values: (pod) => (isPlaced(pod) ? claimsOf(pod) : []) };

/** Removes the finalizer of a deleted claim when no pod uses it. */
export const claimProtection: Controller<PersistentVolumeClaim> = {
  name: 'claim protection',
  for: PERSISTENT_VOLUME_CLAIMS,
  watches: [
    watchSource(PODS, (pod, { cache }) =>
      claimsOf(pod).filter((key) => cache(PERSISTENT_VOLUME_CLAIMS).get(key)?.metadata.deletionTimestamp !== undefined),
    ),
  ],
  async reconcile() {},
  finalize: {
    finalizer: 'kubernetes.io/pvc-protection',
    async run(claim, { cache, client }) {
      const key = keyOf(claim);
      for (const _pod of cache(PODS).by(byClaim, key)) return 'held';
      const { namespace = '' } = claim.metadata;
      const { items } = await client.list(PODS, { namespace });
      return items.some((pod) => isPlaced(pod) && claimsOf(pod).includes(key)) ? { requeueAfterMs: 1000 } : undefined;
    },
  },
};

/** Removes the finalizer of a deleted volume when no claim is bound to it. */
export const volumeProtection: Controller<PersistentVolume> = {
  name: 'volume protection',
  for: PERSISTENT_VOLUMES,
  async reconcile() {},
  finalize: {
    finalizer: 'kubernetes.io/pv-protection',
    async run({ status }) {
      return status?.phase === 'Bound' ? 'held' : undefined;
    },
  },
};
