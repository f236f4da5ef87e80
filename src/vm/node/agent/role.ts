import type { Vmi } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL, LAUNCHER_LABEL, LAUNCHER_LABEL_VALUE, MIGRATION_LABEL } from '#api/launcher';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Index } from '#platform/runtime/cache';
import { keyIn } from '#platform/runtime/key';

/** Launcher pods by the uid of the instance that they were made for. */
export const podsByInstance: Index<Pod> = {
  values: ({ metadata }) => {
    const uid = metadata.labels?.[CREATED_BY_LABEL];
    return uid === undefined ? [] : [uid];
  },
};

/** Whether a pod holds the place of a machine. */
export function isLauncher({ metadata }: Pod): boolean {
  return metadata.labels?.[LAUNCHER_LABEL] === LAUNCHER_LABEL_VALUE && metadata.labels[CREATED_BY_LABEL] !== undefined;
}

/** The key of the instance that a launcher pod was made for. */
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
 * What a launcher pod is to its instance. `home`: the machine runs here or is to start here. `target`: it may come here
 * by migration. `none`: the machine is elsewhere, or nowhere any more.
 */
export type Role = 'active' | 'target' | 'none';

export function roleOf(pod: Pod, instance: Vmi | undefined, node: string): Role {
  if (instance === undefined || isPodFinal(instance)) return 'none';
  const { nodeName = '', activePods = {}, migrationState } = instance.status ?? {};
  const { uid = '', name, labels } = pod.metadata;
  const arrived = migrationState?.completed === true && migrationState.failed !== true;
  // The source may not have known more of the pod than its name.
  const active = activePods[uid] !== undefined || (arrived && migrationState.targetPod === name);
  if (nodeName === node && active) return 'active';
  if (labels?.[MIGRATION_LABEL] !== undefined) {
    const given = migrationState?.migrationUid;
    const ours = given === labels[MIGRATION_LABEL] && migrationState?.targetPod === name;
    // Before the migration is announced, the pod only waits for it.
    return given === undefined || ours || migrationState?.completed === true ? 'target' : 'none';
  }
  const unclaimed = Object.keys(activePods).length === 0 || nodeName === '';
  return unclaimed && (nodeName === '' || nodeName === node) ? 'active' : 'none';
}
