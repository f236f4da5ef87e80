import type { Vmi, Vmim } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL, MIGRATION_LABEL } from '#api/launcher';
import type { Pod } from '#platform/kube/kinds/pod';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { launcherPod, type NewPod } from '#vm/engine/launcher/launcher-pod';
import type { LauncherSettings } from '#vm/engine/launcher/settings';
import { MIGRATION_NAME_ANNOTATION } from './settings.ts';
import { targetSize } from './target-size.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** Builds the target pod of a migration: of the target size, and on no node where the instance already has a pod. */
export function targetPod(
  vmim: Vmim,
  vmi: Vmi,
  source: Pod | undefined,
  settings: LauncherSettings,
  claim: (name: string) => PersistentVolumeClaim | undefined,
): NewPod {
  const pod = launcherPod(withSockets(vmi, targetSize(vmi, source).sockets), settings, claim);
  const { labels, annotations } = pod.metadata;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { ...labels, [MIGRATION_LABEL]: vmim.metadata.uid },
      annotations: { ...annotations, [MIGRATION_NAME_ANNOTATION]: vmim.metadata.name },
    },
    spec: {
      ...pod.spec,
      // A migration cannot override the node selector of the VM.
      nodeSelector: { ...vmim.spec.addedNodeSelector, ...pod.spec.nodeSelector },
      affinity: awayFromItself(vmi),
    },
  };
}

function withSockets(vmi: Vmi, sockets: number): Vmi {
  const { domain } = vmi.spec;
  if ((domain.cpu?.sockets ?? 1) === sockets) return vmi;
  return { ...vmi, spec: { ...vmi.spec, domain: { ...domain, cpu: { ...domain.cpu, sockets } } } };
}

function awayFromItself({ metadata, spec }: Vmi): Record<string, unknown> {
  const { affinity } = spec;
  const own = {
    labelSelector: { matchLabels: { [CREATED_BY_LABEL]: metadata.uid } },
    topologyKey: 'kubernetes.io/hostname',
  };
  const anti = affinity?.podAntiAffinity;
  return { ...affinity, podAntiAffinity: { ...anti, [REQUIRED]: [...(anti?.[REQUIRED] ?? []), own] } };
}
