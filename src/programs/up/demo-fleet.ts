import type { VirtualMachineInput } from '#api/kubevirt/group';
import type { NodePool } from '#vm/node/simulated/node-pool';
import { demoGuests } from './demo-guests.ts';

interface Size {
  readonly role: string;
  readonly count: number;
  readonly cores: number;
  readonly memory: string;
  /** Fraction of a node that the VM uses, which `kubectl top` and the exporter show. */
  readonly cpu: string;
  readonly ram: string;
}

const FLEET: readonly Size[] = [
  { role: 'web', count: 4, cores: 2, memory: '4Gi', cpu: '0.04', ram: '0.02' },
  { role: 'api', count: 3, cores: 4, memory: '8Gi', cpu: '0.09', ram: '0.05' },
  { role: 'db', count: 2, cores: 8, memory: '32Gi', cpu: '0.18', ram: '0.22' },
  { role: 'batch', count: 1, cores: 16, memory: '16Gi', cpu: '0.42', ram: '0.08' },
];

export const DEMO_NAMESPACE = 'default';

export const hasRealMachines = (pools: readonly NodePool[]) => pools.some(({ runtime }) => runtime === 'qemu');

/** Returns the demo fleet for some nodes: real guests if a node runs them. */
export function demoVms(pools: readonly NodePool[]): VirtualMachineInput[] {
  return hasRealMachines(pools) ? demoGuests(DEMO_NAMESPACE) : demoFleet(DEMO_NAMESPACE);
}

/** Builds ten VMs of four sizes, enough to look around with. Booting takes a realistic moment. */
function demoFleet(namespace: string): VirtualMachineInput[] {
  return FLEET.flatMap((size) =>
    Array.from({ length: size.count }, (_, at) => machine(`${size.role}-${at + 1}`, namespace, size)),
  );
}

function machine(name: string, namespace: string, { role, cores, memory, cpu, ram }: Size): VirtualMachineInput {
  const labels = { app: role, 'app.kubernetes.io/part-of': 'demo-fleet' };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace, labels },
    spec: {
      runStrategy: 'Always',
      template: {
        metadata: {
          labels,
          annotations: {
            'kubevirt.io/vm-cpu-consumption': cpu,
            'kubevirt.io/vm-memory-consumption': ram,
            'vimana.io/start-delay': '300ms',
          },
        },
        spec: {
          domain: {
            cpu: { cores },
            memory: { guest: memory },
            devices: {
              disks: [{ name: 'root', disk: { bus: 'virtio' } }],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          evictionStrategy: 'LiveMigrate',
          networks: [{ name: 'default', pod: {} }],
          volumes: [{ name: 'root', containerDisk: { image: 'quay.io/containerdisks/fedora:latest' } }],
        },
      },
    },
  };
}
