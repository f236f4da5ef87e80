import type { Random } from '../../base/random.ts';
import type { Client } from '../../kube/client.ts';
import { VMIMS, VMIS, VMS } from '../../kube/kinds/machines.ts';
import { NODES } from '../../kube/kinds/node.ts';
import { PODS } from '../../kube/kinds/pod.ts';
import { KubeError } from '../../kube/kube-error.ts';
import { FREEZE_ANNOTATION } from '../../node/simulated/behaviour.ts';
import { NO_FAULTS } from '../faulty-client.ts';
import type { SoakWorld } from './soak-world.ts';

const namespace = 'default';
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const STRATEGIES = ['Always', 'Always', 'Halted', 'RerunOnFailure', 'Manual', 'Once'] as const;

/** One thing that a user, a fault or fate does to the world; what is refused is nobody's concern. */
export async function mischief(world: SoakWorld): Promise<string> {
  const { random, admin } = world;
  const [name, deed] = random.pick(DEEDS);
  try {
    return `${name} ${(await deed(admin, random, world)) ?? ''}`;
  } catch (error) {
    if (error instanceof KubeError) return `${name}: refused, ${error.message}`;
    throw error;
  }
}

type Deed = (admin: Client, random: Random, world: SoakWorld) => Promise<string | void> | string | void;

const DEEDS: readonly (readonly [string, Deed])[] = [
  ['create', (admin, random) => create(admin, random)],
  ['create', (admin, random) => create(admin, random)],
  ['create', (admin, random) => create(admin, random)],
  [
    'delete',
    async (admin, random) => {
      const name = random.pick(NAMES);
      const propagationPolicy = random.pick(['Background', 'Foreground', 'Orphan'] as const);
      await admin.delete(VMS, name, { namespace, propagationPolicy });
      return `${name} ${propagationPolicy}`;
    },
  ],
  [
    'strategy',
    async (admin, random) => {
      const [name, runStrategy] = [random.pick(NAMES), random.pick(STRATEGIES)];
      const body = { spec: { runStrategy, running: null } };
      await admin.patch(VMS, name, { type: 'merge', body }, { namespace });
      return `${name} ${runStrategy}`;
    },
  ],
  [
    'delete instance',
    async (admin, random) => {
      const name = random.pick(NAMES);
      await admin.delete(VMIS, name, { namespace });
      return name;
    },
  ],
  [
    'delete pod',
    async (admin, random) => {
      const { items } = await admin.list(PODS, { namespace });
      if (items.length === 0) return undefined;
      const pod = random.pick(items).metadata.name ?? '';
      const force = random.next() < 0.2;
      await admin.delete(PODS, pod, { namespace, ...(force ? { gracePeriodSeconds: 0 } : {}) });
      return `${pod}${force ? ' by force' : ''}`;
    },
  ],
  [
    'evict pod',
    async (admin, random) => {
      const { items } = await admin.list(PODS, { namespace });
      if (items.length === 0) return undefined;
      const pod = random.pick(items).metadata.name ?? '';
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
      await admin.act(PODS, pod, 'eviction', body, { namespace });
      return pod;
    },
  ],
  ['migrate', migrate],
  ['migrate', migrate],
  [
    'cancel migrations',
    async (admin) => {
      await admin.deleteCollection(VMIMS, { namespace });
    },
  ],
  [
    'freeze',
    async (admin, random, world) => {
      const node = `kwok-node-${random.int(1, 4)}`;
      await admin.patch(NODES, node, annotation(FREEZE_ANNOTATION, 'true'));
      const thaw = () => admin.patch(NODES, node, annotation(FREEZE_ANNOTATION, null));
      return `${node} ${later(world, () => void thaw())}`;
    },
  ],
  [
    'cordon',
    async (admin, random) => {
      const node = `kwok-node-${random.int(1, 4)}`;
      const unschedulable = random.next() < 0.3;
      await admin.patch(NODES, node, { type: 'merge', body: { spec: { unschedulable } } });
      return `${node} ${unschedulable}`;
    },
  ],
  ['kill', kill],
  ['kill', kill],
  [
    'stop',
    (_admin, random, world) => {
      const process = random.pick(world.processes.slice(1));
      // Stopping takes time, which nobody here waits for.
      void process.stop();
      return `${process.name}, ${later(world, () => process.start())}`;
    },
  ],
  [
    'faults',
    (_admin, random, world) => {
      Object.assign(world.faults, {
        refuse: random.next() * 0.3,
        lose: random.next() * 0.15,
        slow: random.next() * 0.3,
        slowestMs: random.int(10, 20_000),
        drop: random.next() * 0.1,
        expire: random.next() * 0.05,
      });
      return later(world, () => Object.assign(world.faults, NO_FAULTS));
    },
  ],
  [
    'outage',
    (_admin, _random, world) => {
      Object.assign(world.faults, NO_FAULTS, { refuse: 1, drop: 1 });
      return later(world, () => Object.assign(world.faults, NO_FAULTS));
    },
  ],
];

const annotation = (name: string, value: string | null) =>
  ({ type: 'merge', body: { metadata: { annotations: { [name]: value } } } }) as const;

async function create(admin: Client, random: Random): Promise<string> {
  const [name, runStrategy] = [random.pick(NAMES), random.pick(STRATEGIES)];
  const evictionStrategy = random.pick(['LiveMigrate', 'None'] as const);
  const delay = random.pick(['0s', '0s', '2s', '30s']);
  const machine = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace },
    spec: {
      runStrategy,
      template: {
        metadata: { annotations: { 'vimana.io/start-delay': delay } },
        spec: {
          evictionStrategy,
          terminationGracePeriodSeconds: random.int(0, 30),
          domain: { memory: { guest: '1Gi' }, devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
          networks: [{ name: 'default', pod: {} }],
        },
      },
    },
  };
  await admin.create(VMS, machine, { namespace });
  return `${name} ${runStrategy} ${evictionStrategy} after ${delay}`;
}

async function migrate(admin: Client, random: Random): Promise<string> {
  const vmiName = random.pick(NAMES);
  await admin.create(VMIMS, { metadata: { generateName: 'move-', namespace }, spec: { vmiName } }, { namespace });
  return vmiName;
}

function kill(_admin: Client, random: Random, world: SoakWorld): string {
  const process = random.pick(world.processes.slice(1));
  process.kill();
  return `${process.name}, ${later(world, () => process.start())}`;
}

/** Most troubles pass by themselves: the world is well more often than not. */
function later({ random, clock }: SoakWorld, run: () => void): string {
  const ms = random.pick([0, 50, 1000, 10_000, 35_000, 60_000, 120_000]);
  clock.timer(ms, run);
  return `for ${ms} ms`;
}

/** Ends all faults: everything runs again, and nothing is in the way. */
export async function peace({ admin, faults, processes }: SoakWorld): Promise<void> {
  Object.assign(faults, NO_FAULTS);
  for (const process of processes) process.start();
  for (const node of [1, 2, 3, 4]) {
    const body = { metadata: { annotations: { [FREEZE_ANNOTATION]: null } }, spec: { unschedulable: null } };
    await admin.patch(NODES, `kwok-node-${node}`, { type: 'merge', body });
  }
}
