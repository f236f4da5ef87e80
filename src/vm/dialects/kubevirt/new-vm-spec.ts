import type { NewVmOptions } from '../registration.ts';

export function newVmSpec({
  cpus,
  memory,
  image = 'quay.io/containerdisks/fedora:latest',
  running,
}: NewVmOptions): object {
  return {
    runStrategy: running ? 'Always' : 'Halted',
    template: {
      spec: {
        domain: {
          cpu: { cores: cpus },
          memory: { guest: memory },
          devices: {
            disks: [{ name: 'root', disk: { bus: 'virtio' } }],
            interfaces: [{ name: 'default', masquerade: {} }],
          },
        },
        networks: [{ name: 'default', pod: {} }],
        volumes: [{ name: 'root', containerDisk: { image } }],
      },
    },
  };
}
