import { DISK_CONTENTS_ANNOTATION, type DiskContents, parseContents } from '#api/disk/contents';
import { RESTORE_ANNOTATION } from '#api/disk/request';
import { OPERATIONS } from '#api/hypersdk/operation-resources';
import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { type VMSnapshotInput, vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { virtualMachine, virtualMachineInstance } from '#api/kubevirt/group';
import { VMIS, VMS, type Vm, type Vmi } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL, LAUNCHER_LABEL, LAUNCHER_LABEL_VALUE } from '#api/launcher';
import type { Client } from '#platform/kube/client';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, type PolicyRule } from '#platform/kube/kinds/rbac';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import { crdOf } from '#platform/schema/crd';
import { snapshots } from '#vm/controllers/snapshot/controller';
import { diskPopulator } from '#vm/controllers/snapshot/disk-populator';
import { snapshotRules } from '#vm/controllers/snapshot/rbac';
import { kubevirt } from '#vm/dialects/kubevirt/dialect';
import { NODE_RULES } from '#vm/node/rbac';
import { GUEST_WRITE_ANNOTATION } from '#vm/node/simulated/guest-write';
import { SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import { ensureStorageClasses } from '#vm/node/simulated/storage/storage-classes';
import { type Cluster, startCluster } from './cluster.ts';

const namespace = 'default';
const user = (name: string) => ({
  name: `system:serviceaccount:vimana-system:${name}`,
  groups: ['system:serviceaccounts', 'system:authenticated'],
});
const WRITES = new Set(['create', 'update', 'patch', 'delete']);

/**
 * Cluster with simulated nodes and the snapshot controllers, each with the permissions that it declares. The test
 * starts and stops VMs.
 */
export interface SnapshotHarness {
  readonly cluster: Cluster;
  readonly admin: Client;
  /** Every write of the operator and the nodes: verb, resource and name. */
  readonly writes: string[];
  /** Recorded events. */
  readonly told: string[];
  /** Starts `count` nodes. */
  nodes(count?: number): () => Promise<void>;
  operate(wrap?: (client: Client) => Client): () => Promise<void>;
  /** Creates a stopped VM with disks of these names. */
  machine(name: string, disks?: readonly string[], storageClass?: string): Promise<Vm>;
  start(name: string, annotations?: Record<string, string>, node?: string): Promise<Vmi>;
  stop(name: string): Promise<void>;
  /** Makes the guest of a running VM write, and resolves when it has written. */
  guestWrites(name: string, request: string, disk?: string): Promise<void>;
  disk(claim: string): Promise<DiskContents>;
  snapshot(name: string, spec: Partial<VMSnapshotInput['spec']> & { vm: string }): Promise<Snapshot>;
  get(name: string): Promise<Snapshot>;
  untilPhase(name: string, phase: string): Promise<Snapshot>;
  remove(name: string): Promise<void>;
  askRestore(vm: string, snapshot: string, uid: string): Promise<void>;
  /** Requests a restore of a stopped VM, and returns the VM's annotations when it is finished. */
  restore(vm: string, snapshot: string, uid: string): Promise<Readonly<Record<string, string>>>;
}

export async function snapshotHarness(): Promise<SnapshotHarness> {
  const cluster = await startCluster();
  const { admin, clock, random, log } = cluster;
  for (const kind of [virtualMachine, virtualMachineInstance, vmSnapshot, vmOperation])
    await admin.create(CUSTOM_RESOURCE_DEFINITIONS, crdOf(kind));
  await cluster.until(() =>
    Promise.all([admin.list(VMS), admin.list(VM_SNAPSHOTS), admin.list(OPERATIONS)]).then(
      () => true,
      () => false,
    ),
  );
  await ensureStorageClasses(admin);
  await allow(admin, 'vimana-operator', snapshotRules([kubevirt.kind]));
  await allow(admin, 'vimana-node', NODE_RULES);
  const writes: string[] = [];
  const reported: string[] = [];
  const events: EventRecorder = {
    event: ({ metadata }, type, reason) => void reported.push(`${metadata.name} ${type} ${reason}`),
  };
  const run = (
    name: string,
    wrap: (client: Client) => Client,
    make: (parts: SnapshotHarnessDeps) => Parameters<typeof manager>[1],
  ) => {
    const client = wrap(countingClient(cluster.clientFor(user(name)), writes));
    const informers = new Informers({ clock, random, log, client });
    const parts = { client, informers, clock, random, log, events };
    return cluster.run(manager(name, [informers, ...make(parts)]));
  };
  const vmi = (name: string) => ignoreNotFound(admin.get(VMIS, name, { namespace }));
  const get = (name: string) => admin.get(VM_SNAPSHOTS, name, { namespace });

  const harness: SnapshotHarness = {
    cluster,
    admin,
    writes,
    told: reported,
    get,
    nodes: (count = 2) =>
      run(
        'vimana-node',
        (client) => client,
        (parts) => [new SimulatedFleet(parts, { pools: [{ count }], snapshots: true, renewLeases: false })],
      ),
    operate: (wrap = (client) => client) =>
      run('vimana-operator', wrap, (parts) => [
        runnable(snapshots({ dialects: [kubevirt] }), parts),
        runnable(diskPopulator({ dialects: [kubevirt] }), parts),
      ]),
    async machine(name, disks = ['root'], storageClassName = 'fast-ssd') {
      for (const disk of disks) {
        await admin.create(PERSISTENT_VOLUME_CLAIMS, {
          metadata: { name: `${name}-${disk}`, namespace },
          spec: {
            accessModes: ['ReadWriteMany'],
            storageClassName,
            resources: { requests: { storage: '1Gi' } },
          },
        });
      }
      const volumes = disks.map((disk) => ({ name: disk, persistentVolumeClaim: { claimName: `${name}-${disk}` } }));
      const domain = {
        cpu: { cores: 2 },
        memory: { guest: '1Gi' },
        devices: { disks: disks.map((disk) => ({ name: disk, disk: {} })) },
      };
      return await admin.create(VMS, {
        metadata: { name, namespace },
        spec: { runStrategy: 'Halted', template: { spec: { domain, volumes } } },
      });
    },
    async start(name, annotations = {}, node = 'kwok-node-1') {
      const { metadata, spec } = await admin.get(VMS, name, { namespace });
      const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid: metadata.uid, controller: true };
      const made = await admin.create(VMIS, {
        metadata: { name, namespace, annotations, ownerReferences: [owner] },
        spec: spec.template.spec,
      });
      const { uid } = made.metadata;
      const launched = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name, uid, controller: true };
      await admin.create(PODS, {
        metadata: {
          generateName: `virt-launcher-${name}-`,
          namespace,
          labels: { [LAUNCHER_LABEL]: LAUNCHER_LABEL_VALUE, [CREATED_BY_LABEL]: uid },
          ownerReferences: [launched],
        },
        spec: { nodeName: node, restartPolicy: 'Never', containers: [{ name: 'compute', image: 'example.com/l:1' }] },
      });
      return await cluster.until(async () => {
        const found = await vmi(name);
        return found?.status?.phase === 'Running' && found;
      });
    },
    async stop(name) {
      await admin.delete(VMIS, name, { namespace });
      const { items } = await admin.list(PODS, { namespace });
      for (const { metadata } of items.filter(
        ({ metadata: { ownerReferences: [owner] = [] } }) => owner?.name === name,
      )) {
        await admin.delete(PODS, metadata.name ?? '', { namespace, gracePeriodSeconds: 0 });
      }
      await cluster.until(async () => (await vmi(name)) === undefined);
      await cluster.settle();
    },
    async guestWrites(name, request, disk = 'root') {
      const before = (await harness.disk(`${name}-${disk}`)).wrote;
      const body = { metadata: { annotations: { [GUEST_WRITE_ANNOTATION]: request } } };
      await admin.patch(VMIS, name, { type: 'merge', body }, { namespace });
      await cluster.until(async () => (await harness.disk(`${name}-${disk}`)).wrote !== before);
    },
    async disk(claim) {
      const { metadata } = await admin.get(PERSISTENT_VOLUME_CLAIMS, claim, { namespace });
      return parseContents(metadata.annotations?.[DISK_CONTENTS_ANNOTATION]) ?? { files: {} };
    },
    async snapshot(name, { vm, ...spec }) {
      return await admin.create(VM_SNAPSHOTS, {
        metadata: { name, namespace },
        spec: { vmRef: { name: vm, apiGroup: 'kubevirt.io' }, ...spec },
      });
    },
    untilPhase: (name, phase) =>
      cluster.until(async () => {
        const found = await get(name);
        return found.status?.phase === phase && found;
      }),
    async remove(name) {
      await admin.delete(VM_SNAPSHOTS, name, { namespace });
      await cluster.until(async () => (await ignoreNotFound(get(name))) === undefined);
    },
    async askRestore(vm, snapshot, uid) {
      const body = { metadata: { annotations: { [RESTORE_ANNOTATION]: JSON.stringify({ snapshot, uid }) } } };
      await admin.patch(VMS, vm, { type: 'merge', body }, { namespace });
    },
    async restore(vm, snapshot, uid) {
      await harness.askRestore(vm, snapshot, uid);
      return await cluster.until(async () => {
        const { annotations = {} } = (await admin.get(VMS, vm, { namespace })).metadata;
        const answers = [annotations['vimana.io/restored'], annotations['vimana.io/restore-failed']];
        return answers.some((text) => text?.includes(uid)) && annotations;
      });
    },
  };
  return harness;
}

interface SnapshotHarnessDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Cluster['clock'];
  readonly random: Cluster['random'];
  readonly log: Cluster['log'];
  readonly events: EventRecorder;
}

async function allow(admin: Client, name: string, rules: readonly PolicyRule[]): Promise<void> {
  await admin.create(CLUSTER_ROLES, { metadata: { name }, rules });
  await admin.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name: user(name).name }],
  });
}

function countingClient(client: Client, writes: string[]): Client {
  return new Proxy(client, {
    get(target, verb: keyof Client) {
      if (!WRITES.has(verb)) return target[verb];
      return async (...args: unknown[]) => {
        const [type, second] = args as [{ plural: string }, string | { metadata: { name: string } }];
        const name = typeof second === 'string' ? second : second.metadata.name;
        const { subresource = '' } = (args.at(-1) ?? {}) as { subresource?: string };
        if (type.plural !== NODES.plural)
          writes.push(`${verb} ${type.plural}${subresource && `/${subresource}`} ${name}`);
        return await (target[verb] as (...args: unknown[]) => Promise<unknown>)(...args);
      };
    },
  });
}
