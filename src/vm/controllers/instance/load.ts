import type { Vmi } from '#api/kubevirt/resources';
import { CPU_CONSUMPTION, LOAD_ANNOTATION, MEMORY_CONSUMPTION } from '#api/launcher';
import { type LauncherLoad, parseLoad } from '#api/launcher-load';
import type { Pod } from '#platform/kube/kinds/pod';
import { isPodFinished } from './own-pods.ts';
import type { VmiAction } from './plan-vmi.ts';

/**
 * Annotates running pods with the load that a simulated VM should have. Annotations that others changed since stay
 * until the load changes.
 */
export function planLoad({ metadata }: Vmi, pods: readonly Pod[]): readonly VmiAction[] {
  const text = metadata.annotations?.[LOAD_ANNOTATION];
  const desired = parseLoad(metadata.annotations);
  if (text === undefined || desired === undefined) return [];
  return pods
    .filter((pod) => !isPodFinished(pod) && pod.metadata.deletionTimestamp === undefined)
    .filter((pod) => pod.metadata.annotations?.[LOAD_ANNOTATION] !== text)
    .map((pod) => {
      const reported = parseLoad(pod.metadata.annotations);
      return {
        do: 'annotate',
        pod,
        annotations: { [LOAD_ANNOTATION]: text, ...changedAnnotations(reported, desired) },
      };
    });
}

function changedAnnotations(
  reported: LauncherLoad | undefined,
  { cpu, memory, node }: LauncherLoad,
): Record<string, string> {
  const isCpuSame = reported?.cpu === cpu && reported.node.cpu === node.cpu;
  const isMemorySame = reported?.memory === memory && reported.node.memory === node.memory;
  return {
    ...(isCpuSame ? {} : { [CPU_CONSUMPTION]: cpu }),
    ...(isMemorySame ? {} : { [MEMORY_CONSUMPTION]: memory }),
  };
}
