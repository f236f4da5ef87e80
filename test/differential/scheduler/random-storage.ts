import type { Random } from '#platform/base/random';
import type { Node } from '#platform/kube/kinds/node';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import { chance, DRIVER, HOSTNAME, ZONE } from './random-part.ts';

const delayedClass = (name: string, provisioner: string, more: object = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner,
  volumeBindingMode: 'WaitForFirstConsumer',
  ...more,
});

/** Classes whose claims wait for a pod, for existing volumes and for provisioned ones, anywhere or in a zone. */
export const CLASSES: readonly StorageClass[] = [
  delayedClass('local', 'kubernetes.io/no-provisioner'),
  delayedClass('made', DRIVER),
  delayedClass('zonal', DRIVER, {
    allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['x', 'y'] }] }],
  }),
];

/** An unclaimed volume. */
export function someLocalVolume(random: Random, name: string, nodes: readonly Node[]): PersistentVolume {
  const host = random.pick(nodes).metadata.name ?? '';
  const expression = random.pick([
    { key: HOSTNAME, operator: 'In', values: [host] },
    { key: ZONE, operator: 'In', values: [random.pick(['x', 'y', 'z'])] },
  ]);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels: chance(random, 0.5, () => ({ tier: random.pick(['fast', 'slow']) })) },
    spec: {
      accessModes: random.pick([['ReadWriteOnce'], ['ReadWriteOnce', 'ReadWriteMany']]),
      capacity: { storage: random.pick(['1Gi', '2Gi', '5Gi']) },
      local: { path: '/v' },
      storageClassName: random.pick(['local', 'local', 'local', 'made']),
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
    },
  };
}

/** A claim that is bound together with the node of the first pod that uses it. */
export function someDelayedClaim(random: Random, name: string): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'plain' },
    spec: {
      accessModes: [random.pick(['ReadWriteOnce', 'ReadWriteOnce', 'ReadWriteMany'])],
      resources: { requests: { storage: random.pick(['1Gi', '1500Mi', '3Gi']) } },
      storageClassName: random.pick(CLASSES).metadata.name ?? '',
      ...chance(random, 0.2, () => ({ selector: { matchLabels: { tier: 'fast' } } })),
    },
  };
}
