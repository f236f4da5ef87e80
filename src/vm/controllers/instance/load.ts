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
  const wanted = parseLoad(metadata.annotations);
  if (text === undefined || wanted === undefined) return [];
  return pods
    .filter((pod) => !isPodFinished(pod) && pod.metadata.deletionTimestamp === undefined)
    .filter((pod) => pod.metadata.annotations?.[LOAD_ANNOTATION] !== text)
    .map((pod) => {
      const told = parseLoad(pod.metadata.annotations);
      return { do: 'annotate', pod, annotations: { [LOAD_ANNOTATION]: text, ...changedAnnotations(told, wanted) } };
    });
}

function changedAnnotations(
  told: LauncherLoad | undefined,
  { cpu, memory, node }: LauncherLoad,
): Record<string, string> {
  const isCpuSame = told?.cpu === cpu && told.node.cpu === node.cpu;
  const isMemorySame = told?.memory === memory && told.node.memory === node.memory;
  return {
    ...(isCpuSame ? {} : { [CPU_CONSUMPTION]: cpu }),
    ...(isMemorySame ? {} : { [MEMORY_CONSUMPTION]: memory }),
  };
}
