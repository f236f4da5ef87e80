import type { Vmi } from '#api/kubevirt/resources';
import { DOMAIN_ANNOTATION, LAUNCHER_LABEL, LAUNCHER_LABEL_VALUE } from '#api/launcher';
import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';

/** What becomes of the eviction of a pod. Drains and deschedulers know the texts of refusals. */
export type EvictionResult =
  | { readonly allowed: true }
  /** `evacuate`: the node that the instance is to be marked as having to leave, so that it is migrated. */
  | { readonly allowed: false; readonly message: string; readonly evacuate?: string };

const ALLOWED: EvictionResult = { allowed: true };
const FINISHED = new Set(['Succeeded', 'Failed']);

/** The name of the instance that a pod runs, where it is a launcher that still runs something. */
export function evictedInstance({ metadata, status }: Pod): string | undefined {
  if (metadata.labels?.[LAUNCHER_LABEL] !== LAUNCHER_LABEL_VALUE || FINISHED.has(status?.phase ?? '')) return undefined;
  return ownerOf(metadata)?.name ?? metadata.annotations?.[DOMAIN_ANNOTATION];
}

/** Whether a launcher may be evicted: not while its instance can leave the node alive. */
export function evictionResult(pod: Pod, instance: Vmi | undefined): EvictionResult {
  const node = pod.spec.nodeName ?? '';
  // A pod that is on no node, or whose instance is gone or over, has nothing to lose.
  if (node === '' || instance === undefined || !isOf(pod, instance)) return ALLOWED;
  const { status = {}, spec, metadata } = instance;
  if (FINISHED.has(status.phase ?? '')) return ALLOWED;
  const migratable = conditionOf(status.conditions, 'LiveMigratable')?.status === 'True';
  const named = `"${metadata.namespace}/${metadata.name}"`;
  switch (spec.evictionStrategy) {
    case 'LiveMigrate':
      if (migratable) break;
      return denied(`VMI ${metadata.name} is configured with an eviction strategy but is not live-migratable`);
    case 'LiveMigrateIfPossible':
      if (migratable) break;
      return ALLOWED;
    case 'External':
      break;
    default:
      return ALLOWED;
  }
  const triggered = `Eviction triggered evacuation of VMI ${named}`;
  if ((status.evacuationNodeName ?? '') !== '') return denied(`Evacuation in progress: ${triggered}`);
  if (status.nodeName !== node) return denied('Eviction request for target Pod');
  return { allowed: false, message: triggered, evacuate: node };
}

function denied(message: string): EvictionResult {
  return { allowed: false, message };
}

function ownerOf({ ownerReferences = [] }: Pod['metadata']) {
  return ownerReferences.find(({ controller, kind }) => controller === true && kind === 'VirtualMachineInstance');
}

/** An instance of the same name may be another one by now. */
function isOf({ metadata }: Pod, instance: Vmi): boolean {
  const owner = ownerOf(metadata);
  return owner === undefined || owner.uid === instance.metadata.uid;
}
