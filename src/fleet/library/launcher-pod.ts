import {
  COMPUTE_CONTAINER,
  CPU_CONSUMPTION,
  DEFAULT_LAUNCHER_IMAGE,
  DOMAIN_ANNOTATION,
  DOMAIN_LABEL,
  LAUNCHER_LABEL,
  LAUNCHER_LABEL_VALUE,
  LOAD_ANNOTATION,
  MEMORY_CONSUMPTION,
  NAME_LABEL,
  VM_LABEL,
} from '#api/launcher';
import { formatLoad, type NodeSize } from '#api/launcher-load';
import type { VirtualMachine } from '#api/simulation/virtual-machine';
import type { NewObject } from '#platform/kube/client';
import type { Pod } from '#platform/kube/kinds/pod';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import { simulatedSizeOf } from '#vm/dialects/simulation/size';
import { KWOK_TOLERATION } from '#vm/engine/launcher/settings';

export interface PodRequest {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly spec: VirtualMachine['spec'];
  /** Node size that fractional sizes refer to. */
  readonly reference: NodeSize;
  readonly owner?: KubeOwnerReference;
  readonly node?: string | undefined;
}

/** Builds the pod that represents a VM if no operator creates it. */
export function launcherPod({ id, name, namespace, spec, reference, owner, node }: PodRequest): NewObject<Pod> {
  const { cpu, memory, cpuConsumption, memoryConsumption } = simulatedSizeOf(spec, reference);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: {
        [DOMAIN_LABEL]: id,
        [NAME_LABEL]: id,
        [VM_LABEL]: id,
        app: LAUNCHER_LABEL_VALUE,
        [LAUNCHER_LABEL]: LAUNCHER_LABEL_VALUE,
      },
      annotations: {
        [CPU_CONSUMPTION]: cpuConsumption,
        [MEMORY_CONSUMPTION]: memoryConsumption,
        [DOMAIN_ANNOTATION]: id,
        [LOAD_ANNOTATION]: formatLoad({ cpu: cpuConsumption, memory: memoryConsumption, node: reference }),
      },
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec: {
      ...(node === undefined ? {} : { nodeName: node }),
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      containers: [
        { name: COMPUTE_CONTAINER, image: DEFAULT_LAUNCHER_IMAGE, resources: { requests: { cpu, memory } } },
      ],
      tolerations: [KWOK_TOLERATION],
    },
  };
}
