import type { Vmi, Vmim } from '#api/kubevirt/resources';
import { MIGRATION_LABEL } from '#api/launcher';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Index } from '#platform/runtime/cache';
import { keyIn } from '#platform/runtime/key';
import { MIGRATION_NAME_ANNOTATION } from './settings.ts';
import { isMigrationFinished, migrationPhaseOf } from './status.ts';

/** Returns the key of the instance that a migration moves. */
export const instanceKey = ({ metadata, spec }: Vmim) => keyIn(metadata.namespace, spec.vmiName);

/** Indexes migrations by the key of their instance. */
export const migrationsByInstance: Index<Vmim> = { values: (vmim) => [instanceKey(vmim)] };

/** Indexes unfinished migrations as `waiting` or `in progress`. */
export const byProgress: Index<Vmim> = {
  values: (vmim) =>
    isMigrationFinished(vmim) ? [] : [migrationPhaseOf(vmim) === 'Pending' ? 'waiting' : 'in progress'],
};

/** Indexes target pods by the namespace and uid of their migration. */
export const byMigration: Index<Pod> = {
  values: ({ metadata }) => {
    const uid = metadata.labels?.[MIGRATION_LABEL];
    return uid === undefined ? [] : [keyIn(metadata.namespace, uid)];
  },
};

/** Indexes instances by the node that they run on. */
export const instancesByNode: Index<Vmi> = {
  values: ({ status }) => {
    const node = status?.nodeName ?? '';
    return node === '' ? [] : [node];
  },
};

/** Returns the key of the migration that a pod was created for. */
export function migrationKey({ metadata }: Pod): string | undefined {
  const name = metadata.annotations?.[MIGRATION_NAME_ANNOTATION];
  return name === undefined ? undefined : keyIn(metadata.namespace, name);
}

/** Returns the pod that the instance runs in, out of its pods. */
export function activePod({ status }: Vmi, pods: Iterable<Pod>): Pod | undefined {
  for (const pod of pods) if (status?.activePods?.[pod.metadata.uid ?? ''] !== undefined) return pod;
  return undefined;
}
