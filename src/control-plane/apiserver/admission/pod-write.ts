import type { AdmissionAttributes } from '../admission-plugin.ts';
import type { Container, Pod } from '../kinds/pod/pod-spec.ts';

export function isPods({ resource: { group, plural } }: AdmissionAttributes): boolean {
  return plural === 'pods' && group === '';
}

/** The pod that a write creates; undefined for every other write. */
export function newPod(write: AdmissionAttributes): Pod | undefined {
  return write.operation === 'CREATE' && write.subresource === '' && isPods(write) ? (write.object as Pod) : undefined;
}

const MIRROR = 'kubernetes.io/config.mirror';

/** Whether a pod only shows one that a node runs from a file of its own. */
export function isMirror({ metadata }: Pod): boolean {
  return metadata.annotations?.[MIRROR] !== undefined;
}

/** The containers that every pod may have, with what messages call each of them. */
export function* containersOf({ spec }: Pod): Generator<readonly [what: 'container' | 'init container', Container]> {
  for (const container of spec.containers ?? []) yield ['container', container];
  for (const container of spec.initContainers ?? []) yield ['init container', container];
}
