import { VMIS, VMS } from '#api/kubevirt/resources';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import type { Client, NewObject } from '#platform/kube/client';
import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import type { KubeObject } from '#platform/kube/kube-object';
import { startVmControlPlane } from '#programs/embedded/control-plane';
import { kindsOf } from '#programs/install/crds';
import { installComponents } from '#programs/up/install';
import { withEmbeddedFleet } from './support/embedded-fleet.ts';
import { machineNumber } from './support/machine.ts';

const MACHINES = Number(process.env['VIMANA_BENCH_MACHINES'] ?? 3000);
const ROUNDS = Number(process.env['VIMANA_BENCH_ROUNDS'] ?? 5);
const AT_ONCE = 64;

/** Objects of one running VM. */
interface Made {
  readonly vm: KubeObject;
  readonly instance: KubeObject;
  readonly pod: KubeObject;
}

/** Measures the seven writes that start a VM by themselves: the API server's part of `fleet`. */
export async function run(): Promise<void> {
  const made = await oneMachine();
  const plane = await startVmControlPlane({ clock: realClock, random: systemRandom(), log: noopLogger });
  const admin = plane.client();
  await installComponents(admin, {
    vmShortName: 'kubevirt.io',
    now: 0,
    kinds: kindsOf(['kubevirt']),
    actors: [],
    roles: [],
  });
  // No controller creates it here.
  await admin.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace } });
  const costs: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) costs.push(await replay(plane, made, round));
  await plane.stop();
  const best = STEPS.map((_, step) => Math.min(...costs.map((cost) => cost[step] as number)));
  for (const [step, [name]] of STEPS.entries()) figure(name, best[step] as number);
  figure(
    'all',
    best.reduce((sum, each) => sum + each, 0),
  );
}

async function oneMachine(): Promise<Made> {
  return await withEmbeddedFleet(1, async ({ admin }) => {
    await admin.create(VMS, machineNumber(0) as never, { namespace });
    for await (const { object } of admin.watch(VMS)) {
      const { printableStatus } = (object['status'] ?? {}) as { printableStatus?: string };
      if (printableStatus !== 'Running') continue;
      const [instance] = (await admin.list(VMIS)).items;
      const [pod] = (await admin.list(PODS)).items;
      return { vm: object, instance: instance as KubeObject, pod: pod as unknown as KubeObject };
    }
    throw new Error('the machine does not run');
  });
}

/** Objects of one VM that are written so far. */
interface Written {
  readonly name: string;
  vm?: KubeObject;
  instance?: KubeObject;
}

type Step = (clients: Clients, made: Made, own: Written) => Promise<unknown>;

interface Clients {
  readonly user: Client;
  readonly operator: Client;
  readonly scheduler: Client;
  readonly node: Client;
}

const namespace = 'default';
const STATUS = { subresource: 'status' } as const;

const STEPS: readonly (readonly [string, Step])[] = [
  [
    'create the machine',
    async ({ user }, { vm }, own) => {
      own.vm = await user.create(VMS, newOf(vm, own.name) as never);
    },
  ],
  [
    'create its instance',
    async ({ operator }, { instance }, own) => {
      own.instance = await operator.create(VMIS, newOf(instance, own.name, own.vm) as never);
    },
  ],
  ['create its pod', ({ operator }, { pod }, { name, instance }) => operator.create(PODS, newOf(pod, name, instance))],
  [
    'bind the pod',
    ({ scheduler }, _, { name }) => {
      const target = { apiVersion: 'v1', kind: 'Node', name: 'node' };
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
      return scheduler.act(PODS, name, 'binding', body, { namespace });
    },
  ],
  [
    'status of the pod',
    async ({ node }, { pod }, { name }) => {
      const now = await node.get(PODS, name, { namespace });
      await node.update(PODS, { ...now, status: pod['status'] } as never, STATUS);
    },
  ],
  [
    'status of the instance',
    ({ node }, made, { instance }) =>
      node.update(VMIS, { ...instance, status: made.instance['status'] } as never, STATUS),
  ],
  [
    'status of the machine',
    ({ operator }, made, { vm }) => operator.update(VMS, { ...vm, status: made.vm['status'] } as never, STATUS),
  ],
];

/** Returns the microseconds of each step. */
async function replay(plane: ControlPlane, made: Made, round: number): Promise<number[]> {
  const admin = { name: 'admin', groups: ['system:masters'] };
  const clients = {
    user: plane.client(admin, 'kubectl'),
    operator: plane.client(admin, 'vimana-operator'),
    scheduler: plane.client(admin, 'kube-scheduler'),
    node: plane.client(admin, 'vimana-node'),
  };
  const machines = Array.from({ length: MACHINES }, (_, at): Written => ({ name: `vm-${round}-${at}` }));
  const costs: number[] = [];
  for (const [, work] of STEPS) {
    const began = process.threadCpuUsage();
    let next = 0;
    const worker = async () => {
      while (next < MACHINES) await work(clients, made, machines[next++] as Written);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const { user, system } = process.threadCpuUsage(began);
    costs.push((user + system) / MACHINES);
  }
  return costs;
}

/** Returns an object as it is first sent, with another name and owner. */
function newOf(made: KubeObject, name: string, owner?: KubeObject): NewObject<KubeObject> {
  const { apiVersion, kind, metadata, spec } = made as KubeObject & { spec: object };
  const { labels, annotations, finalizers, ownerReferences = [] } = metadata;
  const owners = ownerReferences.map((ref) => ({
    ...ref,
    name: owner?.metadata.name ?? '',
    uid: owner?.metadata.uid ?? '',
  }));
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(owners.length === 0 ? {} : { ownerReferences: owners }),
    },
    spec: kind === 'Pod' ? { ...spec, nodeName: undefined } : spec,
  };
}

function figure(name: string, us: number): void {
  console.log(`  ${name.padEnd(28)} ${us.toFixed(1).padStart(8)} us`);
}

if (import.meta.main) await run();
