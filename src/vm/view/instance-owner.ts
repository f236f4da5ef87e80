import type { Vmi } from '#api/kubevirt/resources';
import type { KubeObject } from '#platform/kube/kube-object';

/** Indexes instances by the uid of their VM. */
export function instancesByOwner(instances: readonly Vmi[]): ReadonlyMap<string, Vmi> {
  return new Map(
    instances.flatMap((instance) => {
      const uid = ownerOf(instance);
      return uid === undefined ? [] : [[uid, instance] as const];
    }),
  );
}

/** Returns the uid of the VM that an instance belongs to. */
export function ownerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}
