import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { KubeError } from '#platform/kube/kube-error';
import { conflict, notImplemented } from './errors.ts';
import type { GuestAgentReport } from './guest-access.ts';
import { hasAgent, NO_AGENT } from './instance-action.ts';

export type GuestQuestion = 'guestosinfo' | 'userlist' | 'filesystemlist';

const header = (kind: string) => ({ apiVersion: 'subresources.kubevirt.io/v1', kind, metadata: {} });

/** Returns why nothing is known about a guest, or undefined if its guest agent is connected. */
export function guestInfoProblem({ status, metadata }: VirtualMachineInstance): KubeError | undefined {
  const subject = { kind: 'virtualmachineinstance', name: metadata.name } as const;
  if (status?.phase !== 'Running') return conflict(subject, 'VMI is not running');
  return hasAgent({ status } as VirtualMachineInstance) ? undefined : conflict(subject, NO_AGENT);
}

/** Returns what the status of an instance says about its guest. */
export function recordedGuestInfo(question: GuestQuestion, instance: VirtualMachineInstance): object | KubeError {
  const problem = guestInfoProblem(instance);
  if (problem !== undefined) return problem;
  if (question !== 'guestosinfo') return notImplemented(`virtualmachineinstances/${question}`);
  const { guestOSInfo: os } = instance.status ?? {};
  return { ...header('VirtualMachineInstanceGuestAgentInfo'), ...(os === undefined ? {} : { os }) };
}

/** Returns what a guest agent reports now. */
export function reportedGuestInfo(question: GuestQuestion, report: GuestAgentReport): object {
  const { os, hostname, timezone, agentVersion, supportedCommands, users, fileSystems, freezeStatus } = report;
  if (question === 'userlist') return { ...header('VirtualMachineInstanceGuestOSUserList'), items: users };
  if (question === 'filesystemlist') return { ...header('VirtualMachineInstanceFileSystemList'), items: fileSystems };
  return {
    ...header('VirtualMachineInstanceGuestAgentInfo'),
    guestAgentVersion: agentVersion,
    supportedCommands: supportedCommands.map((name) => ({ name, enabled: true })),
    os,
    ...(hostname === undefined ? {} : { hostname }),
    ...(timezone === undefined ? {} : { timezone }),
    userList: users,
    fsInfo: { disks: fileSystems },
    ...(freezeStatus === undefined ? {} : { fsFreezeStatus: freezeStatus }),
  };
}
