import { VMIMS, VMIS, VMS } from '#api/kubevirt/resources';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { type ChaosActions, claimOf, describeVm, later, PLACES, type Place } from './chaos-action.ts';
import { describeNewVm, newVm, STRATEGIES } from './new-vm.ts';

/** Actions of users. */
export const USER_ACTIONS: ChaosActions = [
  ['create', 6, (admin, random) => create(admin, random, random.pick(PLACES))],
  [
    'delete',
    2,
    async (admin, random) => {
      const place = random.pick(PLACES);
      const propagationPolicy = random.pick(['Background', 'Foreground', 'Orphan'] as const);
      await admin.delete(VMS, place.name, { namespace: place.namespace, propagationPolicy });
      return `${describeVm(place)} ${propagationPolicy}`;
    },
  ],
  [
    'replace',
    1,
    async (admin, random) => {
      const place = random.pick(PLACES);
      await admin.delete(VMS, place.name, { namespace: place.namespace, propagationPolicy: 'Orphan' });
      return await create(admin, random, place);
    },
  ],
  [
    'strategy',
    2,
    async (admin, random) => {
      const runStrategy = random.pick(STRATEGIES);
      return `${await edit(admin, random, { runStrategy, running: null })} ${runStrategy}`;
    },
  ],
  [
    'edit',
    2,
    async (admin, random) => {
      const change = random.pick([
        { domain: { cpu: { sockets: random.int(1, 6) } } },
        { domain: { memory: { guest: `${random.int(1, 6)}Gi` } } },
        { evictionStrategy: random.pick(['LiveMigrate', 'None']) },
        { terminationGracePeriodSeconds: random.int(0, 30) },
        { nodeSelector: random.next() < 0.5 ? { 'kubernetes.io/hostname': 'kwok-node-1' } : null },
      ]);
      return `${await edit(admin, random, { template: { spec: change } })} ${JSON.stringify(change)}`;
    },
  ],
  [
    'change of mind',
    2,
    async (admin, random, harness) => {
      const place = random.pick(PLACES);
      const [first, second] = [random.int(1, 4), random.int(1, 4)];
      const resize = (sockets: number) => {
        const body = { spec: { template: { spec: { domain: { cpu: { sockets } } } } } };
        return admin.patch(VMS, place.name, { type: 'merge', body }, { namespace: place.namespace });
      };
      await resize(first);
      // The VM may be deleted by then.
      const when = later(harness, () => void resize(second).catch(() => {}));
      return `${describeVm(place)} ${first} sockets ${when}, then ${second}`;
    },
  ],
  ['ask', 4, ask],
  [
    'delete instance',
    2,
    async (admin, random) => {
      const place = random.pick(PLACES);
      await admin.delete(VMIS, place.name, { namespace: place.namespace });
      return describeVm(place);
    },
  ],
  [
    'delete pod',
    2,
    async (admin, random) => {
      const pod = await anyPod(admin, random);
      if (pod === undefined) return undefined;
      const force = random.next() < 0.2;
      await admin.delete(PODS, pod.name, { namespace: pod.namespace, ...(force ? { gracePeriodSeconds: 0 } : {}) });
      return `${describeVm(pod)}${force ? ' by force' : ''}`;
    },
  ],
  [
    'evict pod',
    2,
    async (admin, random) => {
      const pod = await anyPod(admin, random);
      if (pod === undefined) return undefined;
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: pod };
      await admin.act(PODS, pod.name, 'eviction', body, { namespace: pod.namespace });
      return describeVm(pod);
    },
  ],
  [
    'migrate',
    4,
    async (admin, random) => {
      const { namespace, name } = random.pick(PLACES);
      const metadata = { generateName: 'move-', namespace };
      await admin.create(VMIMS, { metadata, spec: { vmiName: name } }, { namespace });
      return describeVm({ namespace, name });
    },
  ],
  [
    'cancel migrations',
    2,
    async (admin, random) => {
      const { namespace } = random.pick(PLACES);
      await admin.deleteCollection(VMIMS, { namespace });
      return namespace;
    },
  ],
  ['make claim', 2, (admin, random) => createClaim(admin, random.pick(PLACES), random)],
  [
    'delete claim',
    1,
    async (admin, random) => {
      const place = random.pick(PLACES);
      await admin.delete(PERSISTENT_VOLUME_CLAIMS, claimOf(place.name), { namespace: place.namespace });
      return describeVm(place);
    },
  ],
];

async function create(admin: Client, random: Random, place: Place): Promise<string> {
  const machine = newVm(place, random);
  await admin.create(VMS, machine, { namespace: place.namespace });
  return `${describeVm(place)} ${describeNewVm(machine)}`;
}

async function edit(admin: Client, random: Random, spec: object): Promise<string> {
  const place = random.pick(PLACES);
  await admin.patch(VMS, place.name, { type: 'merge', body: { spec } }, { namespace: place.namespace });
  return describeVm(place);
}

/** Calls a subresource, as virtctl does. */
async function ask(admin: Client, random: Random): Promise<string> {
  const place = random.pick(PLACES);
  const [resource, action, body] = random.pick([
    ['virtualmachines', 'start', {}],
    ['virtualmachines', 'start', { paused: true }],
    ['virtualmachines', 'stop', {}],
    ['virtualmachines', 'restart', {}],
    ['virtualmachines', 'restart', { gracePeriodSeconds: 0 }],
    ['virtualmachineinstances', 'pause', {}],
    ['virtualmachineinstances', 'unpause', {}],
    ['virtualmachineinstances', 'reset', {}],
    ['virtualmachineinstances', 'softreboot', {}],
  ] as const);
  const root = `/apis/subresources.kubevirt.io/v1/namespaces/${place.namespace}`;
  await admin.request({ method: 'PUT', path: `${root}/${resource}/${place.name}/${action}`, body });
  return `${action} ${describeVm(place)} ${JSON.stringify(body)}`;
}

async function anyPod(admin: Client, random: Random): Promise<Place | undefined> {
  const { items } = await admin.list(PODS);
  if (items.length === 0) return undefined;
  const { name = '', namespace = '' } = random.pick(items).metadata;
  return { name, namespace };
}

export async function createClaim(admin: Client, { namespace, name }: Place, random: Random): Promise<string> {
  const storageClassName = random.pick(['standard', 'fast-ssd']);
  const accessModes = [random.pick(['ReadWriteOnce', 'ReadWriteMany'])];
  const spec = { storageClassName, accessModes, resources: { requests: { storage: '1Gi' } } };
  await admin.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: claimOf(name), namespace }, spec });
  return `${namespace}/${claimOf(name)} ${storageClassName} ${accessModes.join()}`;
}
