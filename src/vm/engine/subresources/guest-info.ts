import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { KubeError } from '#platform/kube/kube-error';
import { conflict, notImplemented } from './errors.ts';
import { hasAgent, NO_AGENT } from './instance-action.ts';

export type GuestQuestion = 'guestosinfo' | 'userlist' | 'filesystemlist';

/** Returns what the guest agent has reported, or why nothing is known. */
export function guestInfo(question: GuestQuestion, instance: VirtualMachineInstance): object | KubeError {
  const { status, metadata } = instance;
  const subject = { kind: 'virtualmachineinstance', name: metadata.name } as const;
  if (status?.phase !== 'Running') return conflict(subject, 'VMI is not running');
  if (!hasAgent(instance)) return conflict(subject, NO_AGENT);
  if (question !== 'guestosinfo') return notImplemented(`virtualmachineinstances/${question}`);
  const header = {
    apiVersion: 'subresources.kubevirt.io/v1',
    kind: 'VirtualMachineInstanceGuestAgentInfo',
    metadata: {},
  };
  return { ...header, ...(status.guestOSInfo === undefined ? {} : { os: status.guestOSInfo }) };
}
