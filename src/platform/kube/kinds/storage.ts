import type { KubeObject } from '../kube-object.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { KubeCondition } from './condition.ts';
import type { ResourceList, Resources } from './pod.ts';
import { resourceType } from './resource-type.ts';

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec: {
    readonly accessModes?: readonly string[];
    readonly resources?: Resources;
    readonly selector?: LabelSelectorSpec;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly volumeName?: string;
    readonly volumeAttributesClassName?: string;
    readonly dataSource?: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
  };
  readonly status?: {
    readonly phase?: string;
    readonly accessModes?: readonly string[];
    readonly capacity?: ResourceList;
    readonly allocatedResources?: ResourceList;
    readonly conditions?: readonly KubeCondition[];
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
    readonly [field: string]: unknown;
  };
}

export interface ClaimRef {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface PersistentVolume extends KubeObject {
  readonly spec: {
    readonly accessModes?: readonly string[];
    readonly capacity?: ResourceList;
    readonly claimRef?: ClaimRef;
    readonly persistentVolumeReclaimPolicy?: string;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly volumeAttributesClassName?: string;
    readonly nodeAffinity?: object;
    readonly [source: string]: unknown;
  };
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly reason?: string;
    readonly lastPhaseTransitionTime?: string;
  };
}

export interface StorageClass extends KubeObject {
  readonly provisioner: string;
  readonly volumeBindingMode?: string;
  readonly reclaimPolicy?: string;
  readonly allowVolumeExpansion?: boolean;
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}

export interface CsiNode extends KubeObject {
  readonly spec: {
    readonly drivers: readonly {
      readonly name: string;
      readonly nodeID?: string;
      readonly topologyKeys?: readonly string[];
      readonly allocatable?: { readonly count?: number };
    }[];
  };
}

export interface VolumeAttributesClass extends KubeObject {
  readonly driverName: string;
}

export const PERSISTENT_VOLUME_CLAIMS = resourceType<PersistentVolumeClaim>(
  'v1',
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
);
export const PERSISTENT_VOLUMES = resourceType<PersistentVolume>(
  'v1',
  'PersistentVolume',
  'persistentvolumes',
  'Cluster',
);
export const STORAGE_CLASSES = resourceType<StorageClass>(
  'storage.k8s.io/v1',
  'StorageClass',
  'storageclasses',
  'Cluster',
);
export const VOLUME_ATTRIBUTES_CLASSES = resourceType<VolumeAttributesClass>(
  'storage.k8s.io/v1',
  'VolumeAttributesClass',
  'volumeattributesclasses',
  'Cluster',
);
export const CSI_NODES = resourceType<CsiNode>('storage.k8s.io/v1', 'CSINode', 'csinodes', 'Cluster');
