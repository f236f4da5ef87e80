import type { Vm } from '#api/kubevirt/resources';
import type { Random } from '#platform/base/random';
import { claimOf, type Place } from './chaos-action.ts';

export const STRATEGIES = ['Always', 'Always', 'Halted', 'RerunOnFailure', 'Manual', 'Once'] as const;

/**
 * Failures of the guest or its image. An image becomes available in the end, whereas a guest fails for as long as its
 * annotations request it.
 */
const FAILURES: readonly Readonly<Record<string, string>>[] = [
  { 'vimana.io/fail': 'image-pull', 'vimana.io/fail-times': '2' },
  { 'vimana.io/fail': 'crash', 'vimana.io/fail-after': '0s' },
  { 'vimana.io/fail': 'crash', 'vimana.io/fail-after': '90s' },
  { 'vimana.io/fail': 'oom', 'vimana.io/fail-after': '20s' },
  { 'vimana.io/complete-after': '100s' },
];
export const FAILURE_ANNOTATIONS = [
  'vimana.io/fail',
  'vimana.io/fail-after',
  'vimana.io/fail-times',
  'vimana.io/complete-after',
];

/** Builds a random VM such as users create. */
export function newVm({ namespace, name }: Place, random: Random): Vm {
  const annotations = {
    'vimana.io/start-delay': random.pick(['0s', '0s', '2s', '30s']),
    'vimana.io/shutdown-duration': random.pick(['0s', '0s', '1s', '20s', 'never']),
    'vimana.io/dirty-rate': random.pick(['0', '0', '100M']),
    ...(random.next() < 0.15 ? random.pick(FAILURES) : {}),
  };
  const disk = random.next() < 0.25;
  const machine = {
    metadata: { name, namespace },
    spec: {
      runStrategy: random.pick(STRATEGIES),
      template: {
        metadata: { annotations },
        spec: {
          evictionStrategy: random.pick(['LiveMigrate', 'LiveMigrateIfPossible', 'None'] as const),
          terminationGracePeriodSeconds: random.int(0, 30),
          domain: {
            cpu: { sockets: 1 },
            memory: { guest: '1Gi' },
            devices: {
              interfaces: [{ name: 'default', masquerade: {} }],
              ...(disk ? { disks: [{ name: 'root', disk: {} }] } : {}),
            },
          },
          networks: [{ name: 'default', pod: {} }],
          ...(disk ? { volumes: [{ name: 'root', persistentVolumeClaim: { claimName: claimOf(name) } }] } : {}),
        },
      },
    },
  };
  return machine as unknown as Vm;
}

/** Describes a new VM in a few words. */
export function describeNewVm({ spec }: Vm): string {
  const { metadata, spec: template } = spec.template;
  const behavior = Object.entries(metadata?.annotations ?? {}).map(([name, value]) => `${name.slice(10)} ${value}`);
  const disk = template.volumes === undefined ? [] : ['with a disk'];
  return [spec.runStrategy, template.evictionStrategy, ...behavior, ...disk].join(', ');
}
