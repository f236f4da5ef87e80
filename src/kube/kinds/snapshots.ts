import { type VMSnapshot, vmSnapshot } from '../../api/hypersdk/vm-snapshot.ts';
import type { ResourceType } from '../client.ts';
import type { KubeObject } from '../kube-object.ts';
import { resourceOfKind } from './machines.ts';

export type Snapshot = VMSnapshot & KubeObject;
export type SnapshotStatus = NonNullable<Snapshot['status']>;

export const VM_SNAPSHOTS: ResourceType<Snapshot> = resourceOfKind(vmSnapshot);
