import type { AdmissionAttributes } from '../admission-plugin.ts';
import type { Container, Pod } from '../kinds/pod/pod-spec.ts';

export function isPods({ resource: { group, plural } }: AdmissionAttributes): boolean {
  return plural === 'pods' && group === '';
}

/** Returns the pod that a write creates, undefined for every other write. */
export function newPod(write: AdmissionAttributes): Pod | undefined {
  return write.operation === 'CREATE' && write.subresource === '' && isPods(write) ? (write.object as Pod) : undefined;
}

const MIRROR = 'kubernetes.io/config.mirror';

/** Reports whether a pod is the mirror of a static pod of a node. */
export function isMirror({ metadata }: Pod): boolean {
  return metadata.annotations?.[MIRROR] !== undefined;
}

/** Yields the containers and init containers, with the words by which messages name them. */
export function* containersOf({ spec }: Pod): Generator<readonly [what: 'container' | 'init container', Container]> {
  for (const container of spec.containers ?? []) yield ['container', container];
  for (const container of spec.initContainers ?? []) yield ['init container', container];
}
