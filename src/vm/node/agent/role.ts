import type { Vmi } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL, LAUNCHER_LABEL, LAUNCHER_LABEL_VALUE, MIGRATION_LABEL } from '#api/launcher';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Index } from '#platform/runtime/cache';
import { keyIn } from '#platform/runtime/key';

/** Indexes launcher pods by the UID of the instance that they were created for. */
export const podsByInstance: Index<Pod> = {
  values: ({ metadata }) => {
    const uid = metadata.labels?.[CREATED_BY_LABEL];
    return uid === undefined ? [] : [uid];
  },
};

export function isLauncher({ metadata }: Pod): boolean {
  return metadata.labels?.[LAUNCHER_LABEL] === LAUNCHER_LABEL_VALUE && metadata.labels[CREATED_BY_LABEL] !== undefined;
}

/** Returns the key of the instance that a launcher pod was created for. */
export function instanceKeyOf({ metadata }: Pod): string | undefined {
  const owner = metadata.ownerReferences?.find(
    ({ kind, controller }) => controller && kind === 'VirtualMachineInstance',
  );
  return owner === undefined ? undefined : keyIn(metadata.namespace, owner.name);
}

export function isPodFinal({ status }: Vmi): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/**
 * Role of a launcher pod for its instance.
 * - `active`: the machine runs or will start here.
 * - `target`: it may arrive here by migration.
 * - `none`: the machine is elsewhere, or nowhere any more.
 */
export type Role = 'active' | 'target' | 'none';

export function roleOf(pod: Pod, instance: Vmi | undefined, node: string): Role {
  if (instance === undefined || isPodFinal(instance)) return 'none';
  const { nodeName = '', activePods = {}, migrationState } = instance.status ?? {};
  const { uid = '', name, labels } = pod.metadata;
  const arrived = migrationState?.completed === true && migrationState.failed !== true;
  // The source may have known only the name of the pod.
  const active = activePods[uid] !== undefined || (arrived && migrationState.targetPod === name);
  if (nodeName === node && active) return 'active';
  if (labels?.[MIGRATION_LABEL] !== undefined) {
    const given = migrationState?.migrationUid;
    const ours = given === labels[MIGRATION_LABEL] && migrationState?.targetPod === name;
    // The pod waits until the migration is announced.
    return given === undefined || ours || migrationState?.completed === true ? 'target' : 'none';
  }
  const unclaimed = Object.keys(activePods).length === 0 || nodeName === '';
  return unclaimed && (nodeName === '' || nodeName === node) ? 'active' : 'none';
}
