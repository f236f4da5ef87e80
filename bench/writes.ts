import { type ControlPlane, startControlPlane } from '../src/apiserver/control-plane.ts';
import { realClock } from '../src/base/clock.ts';
import { silentLogger } from '../src/base/logger.ts';
import { systemRandom } from '../src/base/random.ts';
import { kindsOf } from '../src/install/definitions.ts';
import type { Client, NewObject } from '../src/kube/client.ts';
import { SERVICE_ACCOUNTS } from '../src/kube/kinds/core.ts';
import { VMIS, VMS } from '../src/kube/kinds/machines.ts';
import { PODS } from '../src/kube/kinds/pod.ts';
import type { KubeObject } from '../src/kube/kube-object.ts';
import { install } from '../src/up/install.ts';
import { withEmbeddedFleet } from './support/embedded-fleet.ts';
import { machineNumber } from './support/machine.ts';

const MACHINES = Number(process.env['VIMANA_BENCH_MACHINES'] ?? 3000);
const ROUNDS = Number(process.env['VIMANA_BENCH_ROUNDS'] ?? 5);
const AT_ONCE = 64;

/** What one running machine consists of. */
interface Made {
  readonly vm: KubeObject;
  readonly instance: KubeObject;
  readonly pod: KubeObject;
}

/** The seven writes by which a machine comes to run, alone: what the API server costs of `fleet`. */
export async function run(): Promise<void> {
  const made = await oneMachine();
  const plane = await startControlPlane({ clock: realClock, random: systemRandom(), log: silentLogger });
  const admin = plane.client();
  await install(admin, { kinds: kindsOf(['kubevirt']), actors: [], roles: [] });
  // There is no controller that would make it.
  await admin.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } });
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
    await admin.create(VMS, machineNumber(0) as never, { namespace: 'default' });
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

type Step = (clients: Clients, made: Made, written: Map<string, KubeObject>, name: string) => Promise<KubeObject>;

interface Clients {
  readonly user: Client;
  readonly operator: Client;
  readonly scheduler: Client;
  readonly node: Client;
}

const STEPS: readonly (readonly [string, Step])[] = [
  ['create the machine', ({ user }, { vm }, _, name) => user.create(VMS, newOf(vm, name) as never)],
  [
    'create its instance',
    ({ operator }, { instance }, written, name) =>
      operator.create(VMIS, newOf(instance, name, written.get('create the machine')) as never),
  ],
  [
    'create its pod',
    ({ operator }, { pod }, written, name) =>
      operator.create(PODS, newOf(pod, name, written.get('create its instance'))),
  ],
  [
    'bind the pod',
    async ({ scheduler }, _, written, name) => {
      const target = { apiVersion: 'v1', kind: 'Node', name: 'node' };
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
      await scheduler.act(PODS, name, 'binding', body, { namespace: 'default' });
      return written.get('create its pod') as KubeObject;
    },
  ],
  [
    'status of the pod',
    async ({ node }, { pod }, _, name) => {
      const now = (await node.get(PODS, name, { namespace: 'default' })) as unknown as KubeObject;
      return await node.update(PODS, { ...now, status: pod['status'] } as never, { subresource: 'status' });
    },
  ],
  [
    'status of the instance',
    ({ node }, { instance }, written) => {
      const now = written.get('create its instance') as KubeObject;
      return node.update(VMIS, { ...now, status: instance['status'] } as never, { subresource: 'status' });
    },
  ],
  [
    'status of the machine',
    ({ operator }, { vm }, written) => {
      const now = written.get('create the machine') as KubeObject;
      return operator.update(VMS, { ...now, status: vm['status'] } as never, { subresource: 'status' });
    },
  ],
];

/** Microseconds of each step. */
async function replay(plane: ControlPlane, made: Made, round: number): Promise<number[]> {
  const admin = { name: 'admin', groups: ['system:masters'] };
  const clients = {
    user: plane.client(admin, 'kubectl'),
    operator: plane.client(admin, 'vimana-operator'),
    scheduler: plane.client(admin, 'kube-scheduler'),
    node: plane.client(admin, 'vimana-node'),
  };
  const written = Array.from({ length: MACHINES }, () => new Map<string, KubeObject>());
  const costs: number[] = [];
  for (const [step, work] of STEPS) {
    const began = process.threadCpuUsage();
    let next = 0;
    const worker = async () => {
      while (next < MACHINES) {
        const at = next++;
        const known = written[at] as Map<string, KubeObject>;
        known.set(step, await work(clients, made, known, `vm-${round}-${at}`));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const { user, system } = process.threadCpuUsage(began);
    costs.push((user + system) / MACHINES);
  }
  return costs;
}

/** An object as it is first sent, of another name and owner. */
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
      namespace: 'default',
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
