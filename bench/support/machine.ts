import type { VirtualMachineInput } from '#api/kubevirt/group';

/** Returns one of many VMs that differ only in their name. */
export function machineNumber(at: number): VirtualMachineInput {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: `vm-${at}`, namespace: 'default' },
    spec: {
      runStrategy: 'Always',
      template: {
        spec: {
          domain: {
            cpu: { cores: 2 },
            memory: { guest: '2Gi' },
            devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
          },
          volumes: [{ name: 'root', containerDisk: { image: 'quay.io/containerdisks/fedora:latest' } }],
        },
      },
    },
  };
}
