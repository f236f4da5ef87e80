import { PAUSED_ANNOTATION, RESET_ANNOTATION, SOFT_REBOOT_ANNOTATION } from '#api/instance-request';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { KubeError } from '#platform/kube/kube-error';
import { hasCondition } from '../condition.ts';
import { conflict, forbidden } from './errors.ts';

export type InstanceAction = 'pause' | 'unpause' | 'reset' | 'softreboot' | 'freeze' | 'unfreeze';

/** Annotations by which the node agent gets a request, or the reason why the request is denied. */
export type InstanceEdit =
  | { readonly annotations: Readonly<Record<string, string>> }
  /** The file systems of the guest are to be frozen or thawed. */
  | { readonly frozen: boolean }
  | { readonly refused: KubeError };

/** Returns the annotations to write on an instance for an action. `id` distinguishes repeated actions. */
export function instanceEdit(action: InstanceAction, instance: VirtualMachineInstance, id: string): InstanceEdit {
  const rejected = denialReason(action, instance);
  if (rejected !== undefined) return { refused: rejected };
  switch (action) {
    case 'pause':
      return { annotations: { [PAUSED_ANNOTATION]: 'true' } };
    case 'unpause':
      return { annotations: { [PAUSED_ANNOTATION]: 'false' } };
    case 'reset':
      return { annotations: { [RESET_ANNOTATION]: id } };
    case 'softreboot':
      return { annotations: { [SOFT_REBOOT_ANNOTATION]: id } };
    case 'freeze':
    case 'unfreeze':
      return { frozen: action === 'freeze' };
  }
}

function denialReason(action: InstanceAction, instance: VirtualMachineInstance): KubeError | undefined {
  const subject = { kind: 'virtualmachineinstance', name: instance.metadata.name } as const;
  const refuse = (why: string) => conflict(subject, why);
  const { status, spec } = instance;
  // Some of KubeVirt's messages name the VM, others the VMI.
  if (status?.phase !== 'Running') return refuse(`${OF_INSTANCE.has(action) ? 'VMI' : 'VM'} is not running`);
  switch (action) {
    case 'pause':
      if (spec.livenessProbe !== undefined)
        return forbidden(subject, 'Pausing VMIs with LivenessProbe is currently not supported');
      if (staysPaused(instance)) return refuse('VMI is already paused');
      if (isMigrating(instance))
        return refuse(`Cannot pause VM '${instance.metadata.name}' because it is currently being migrated`);
      return undefined;
    case 'unpause':
      return isPaused(instance) ? undefined : refuse('VMI is not paused');
    case 'softreboot':
      if (isPaused(instance)) return refuse('VMI is paused');
      if (hasAgent(instance) || spec.domain.features?.acpi?.enabled !== false) return undefined;
      return refuse('VMI neither have the agent connected nor the ACPI feature enabled');
    case 'freeze':
    case 'unfreeze':
      return hasAgent(instance) ? undefined : refuse(NO_AGENT);
    case 'reset':
      return undefined;
  }
}

const OF_INSTANCE: ReadonlySet<InstanceAction> = new Set<InstanceAction>(['unpause', 'unfreeze', 'reset']);
export const NO_AGENT = 'VMI does not have guest agent connected';

const isPauseRequested = ({ metadata }: VirtualMachineInstance) => metadata.annotations?.[PAUSED_ANNOTATION];

/** Reports whether the instance is paused, or will be once the node agent has handled the request. */
function isPaused(instance: VirtualMachineInstance): boolean {
  return isPauseRequested(instance) === 'true' || hasCondition(instance.status?.conditions, 'Paused');
}

/** Reports whether the instance is paused and no unpause is pending. */
function staysPaused(instance: VirtualMachineInstance): boolean {
  return isPaused(instance) && isPauseRequested(instance) !== 'false';
}

function isMigrating({ status }: VirtualMachineInstance): boolean {
  const state = status?.migrationState;
  return state !== undefined && state.completed !== true && state.failed !== true;
}

export function hasAgent({ status }: VirtualMachineInstance): boolean {
  return hasCondition(status?.conditions, 'AgentConnected');
}
