import type { Vmi } from '#api/kubevirt/resources';
import { DOMAIN_ANNOTATION, LAUNCHER_LABEL, LAUNCHER_LABEL_VALUE } from '#api/launcher';
import { conditionOf } from '#platform/kube/kinds/condition';
import type { Pod } from '#platform/kube/kinds/pod';

/** Result of a pod eviction. Drains and deschedulers match the messages of denials. */
export type EvictionResult =
  | { readonly allowed: true }
  /** `evacuate` is the node that the instance is marked to leave, so that it is migrated. */
  | { readonly allowed: false; readonly message: string; readonly evacuate?: string };

const ALLOWED: EvictionResult = { allowed: true };
const FINISHED = new Set(['Succeeded', 'Failed']);

/** Returns the name of the instance that a pod runs, if it is a launcher that has not finished. */
export function evictedInstance({ metadata, status }: Pod): string | undefined {
  if (metadata.labels?.[LAUNCHER_LABEL] !== LAUNCHER_LABEL_VALUE || FINISHED.has(status?.phase ?? '')) return undefined;
  return ownerOf(metadata)?.name ?? metadata.annotations?.[DOMAIN_ANNOTATION];
}

/** Decides whether a launcher may be evicted, which it may not while its instance can be live-migrated. */
export function evictionResult(pod: Pod, instance: Vmi | undefined): EvictionResult {
  const node = pod.spec.nodeName ?? '';
  // A pod without a node, or whose instance is gone or finished, can be evicted safely.
  if (node === '' || instance === undefined || !isOf(pod, instance)) return ALLOWED;
  const { status = {}, spec, metadata } = instance;
  if (FINISHED.has(status.phase ?? '')) return ALLOWED;
  const migratable = conditionOf(status.conditions, 'LiveMigratable')?.status === 'True';
  const named = `"${metadata.namespace}/${metadata.name}"`;
  switch (spec.evictionStrategy) {
    case 'LiveMigrate':
      if (migratable) break;
      return evictionDenial(`VMI ${metadata.name} is configured with an eviction strategy but is not live-migratable`);
    case 'LiveMigrateIfPossible':
      if (migratable) break;
      return ALLOWED;
    case 'External':
      break;
    default:
      return ALLOWED;
  }
  const triggered = `Eviction triggered evacuation of VMI ${named}`;
  if ((status.evacuationNodeName ?? '') !== '') return evictionDenial(`Evacuation in progress: ${triggered}`);
  if (status.nodeName !== node) return evictionDenial('Eviction request for target Pod');
  return { allowed: false, message: triggered, evacuate: node };
}

function evictionDenial(message: string): EvictionResult {
  return { allowed: false, message };
}

function ownerOf({ ownerReferences = [] }: Pod['metadata']) {
  return ownerReferences.find(({ controller, kind }) => controller === true && kind === 'VirtualMachineInstance');
}

/** Checks the owner, since an instance of the same name may be a new one. */
function isOf({ metadata }: Pod, instance: Vmi): boolean {
  const owner = ownerOf(metadata);
  return owner === undefined || owner.uid === instance.metadata.uid;
}
