import type { VirtualMachineInput } from '#api/kubevirt/group';
import { RUNTIME_LABEL } from '#api/runtime';

/** Image of the demo guest, which is built on the host. */
export const DEMO_IMAGE = 'vimana.local/demo-guest';
const NAMES = ['guest-1', 'guest-2', 'guest-3'];

/** Builds three VMs that boot the demo guest on nodes with real machines. */
export function demoGuests(namespace: string): VirtualMachineInput[] {
  return NAMES.map((name) => guest(name, namespace));
}

function guest(name: string, namespace: string): VirtualMachineInput {
  const labels = { app: 'guest', 'app.kubernetes.io/part-of': 'demo-fleet' };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace, labels },
    spec: {
      runStrategy: 'Always',
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { [RUNTIME_LABEL]: 'qemu' },
          domain: {
            cpu: { cores: 1 },
            memory: { guest: '128Mi' },
            devices: {
              disks: [
                { name: 'root', disk: { bus: 'virtio' } },
                { name: 'seed', disk: { bus: 'virtio' } },
              ],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [
            { name: 'root', containerDisk: { image: DEMO_IMAGE } },
            { name: 'seed', cloudInitNoCloud: { userData: '#!/bin/sh\necho "Hello from $(hostname)"\n' } },
          ],
        },
      },
    },
  };
}
