import { type VMSnapshot, vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { resourceTypeFor } from '#api/kubevirt/resources';
import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';

export type Snapshot = VMSnapshot & KubeObject;
export type SnapshotStatus = NonNullable<Snapshot['status']>;

export const VM_SNAPSHOTS: ResourceType<Snapshot> = resourceTypeFor(vmSnapshot);
