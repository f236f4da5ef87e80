import type { Volume } from '#platform/kube/kinds/pod';
import { keyIn } from '#platform/runtime/key';

/** A claim that a pod uses, and whether it is an ephemeral one created for the pod. */
export interface ClaimUse {
  /** Key in the form `namespace/name`. */
  readonly key: string;
  readonly name: string;
  readonly ephemeral: boolean;
}

export function claimUsesOf(volumes: readonly Volume[], namespace: string, pod: string): readonly ClaimUse[] {
  return volumes.flatMap((volume): ClaimUse[] => {
    const ephemeral = volume.ephemeral !== undefined;
    const name = ephemeral ? `${pod}-${volume.name}` : volume.persistentVolumeClaim?.claimName;
    return name === undefined ? [] : [{ key: keyIn(namespace, name), name, ephemeral }];
  });
}
