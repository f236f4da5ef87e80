import { virtualMachineInstanceAdmitter } from '#vm/dialects/kubevirt/admission/virtual-machine-instance';
import { admissionTrial } from './admission-trial.ts';

/** Parts of a kubevirt.io VM under test. The rest of the VM is valid. */

export interface VmSpecOptions {
  readonly spec?: object;
  readonly domain?: object;
  readonly devices?: object;
}

/** Table row: the expected errors of a VM with these parts. */
export type VmCase = readonly [what: string, parts: VmSpecOptions, causes: readonly string[]];

export const diskImage = { image: 'registry.example.com/disk:1' };
export const rootVolume = { name: 'root', containerDisk: diskImage };
export const rootDisk = { name: 'root', disk: {} };

const tryOut = admissionTrial(virtualMachineInstanceAdmitter);

export function tryVm({ spec = {}, domain = {}, devices = {} }: VmSpecOptions) {
  return tryOut({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'm', namespace: 'default' },
    spec: {
      domain: { memory: { guest: '1Gi' }, devices: { disks: [rootDisk], ...devices }, ...domain },
      volumes: [rootVolume],
      ...spec,
    },
  });
}
