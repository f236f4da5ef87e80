import { VMIS, VMS, type Vm, type Vmi } from '#api/kubevirt/resources';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import { kubevirt } from '#vm/dialects/kubevirt/dialect';
import { AddressPool } from '#vm/engine/address-pool';
import type { Condition } from '#vm/engine/condition';
import { type VmControllerOptions, vmController } from '#vm/engine/controller';
import type { Dialect } from '#vm/engine/dialect';
import { vmRules } from '#vm/engine/rbac';
import { TransientStatusThrottle } from '#vm/engine/transient-status-throttle';
import { startVmCluster, type VmCluster } from './vm-cluster.ts';

/** Cluster in which VMs of kubevirt.io are managed. The test plays the components that manage instances. */
export interface VmHarness extends VmCluster {
  readonly writes: string[];
  make(name: string, spec: object, metadata?: object): Promise<Vm>;
  edit(name: string, spec: object): Promise<Vm>;
  vm(name: string): Promise<Vm>;
  /** Returns the instance, or undefined if there is none. */
  instance(name: string): Promise<Vmi | undefined>;
  /** Sets the phase of the instance, and further status fields. */
  phase(name: string, phase: string, status?: object): Promise<void>;
  /** Finishes a terminating instance: its pods are deleted. */
  finish(name: string): Promise<void>;
  status(name?: string): Promise<Vm['status']>;
  condition(type: string, name?: string): Promise<Condition | undefined>;
  untilPrinted(text: string, name?: string): Promise<unknown>;
  untilMade(name?: string): Promise<Vmi>;
  /** Waits for an instance with another uid. */
  untilAnother(uid: string, name?: string): Promise<Vmi>;
  untilGoing(name?: string): Promise<unknown>;
  waitForDeletion(name?: string): Promise<unknown>;
  /** Waits until the VM itself is deleted. */
  untilAway(name?: string): Promise<unknown>;
  /** Creates a VM, and runs it. */
  running(spec?: object, name?: string): Promise<Vmi>;
  /** Finishes a stop: the guest ends and the pod is deleted. */
  ends(name?: string): Promise<void>;
  request(requests: readonly object[], name?: string): Promise<void>;
  /** Starts the controller, also again after a crash. The returned function stops it. */
  control(options?: Partial<VmControllerOptions>, wrap?: (client: Client) => Client): () => Promise<void>;
}

const namespace = 'default';

export async function startVmHarness(): Promise<VmHarness> {
  const cluster = await startVmCluster(vmRules([kubevirt.kind]));
  const { admin, clock } = cluster;
  const writes: string[] = [];

  const counting = (client: Client): Client => ({
    ...client,
    create: async (type, object, options) => {
      writes.push(`create ${type.kind}`);
      return await client.create(type, object, options);
    },
    update: async (type, object, options) => {
      writes.push(`update ${type.kind}${options?.subresource === undefined ? '' : `/${options.subresource}`}`);
      return await client.update(type, object, options);
    },
    delete: async (type, name, options) => {
      writes.push(`delete ${type.kind}`);
      return await client.delete(type, name, options);
    },
  });

  const instance = async (name: string): Promise<Vmi | undefined> =>
    await ignoreNotFound(admin.get(VMIS, name, { namespace }));

  const vm = (name: string) => admin.get(VMS, name, { namespace });
  const status = async (name = 'web') => (await vm(name)).status;
  const phase = async (name: string, next: string, more: object = {}): Promise<void> => {
    const { phaseTransitionTimestamps: times = [], conditions = [] } = (await cluster.vmi(name)).status ?? {};
    const at = timestamp(clock.now());
    const ready = { type: 'Ready', status: next === 'Running' ? 'True' : 'False', lastTransitionTime: at };
    await cluster.vmiStatus(name, {
      phase: next,
      phaseTransitionTimestamps: [...times, { phase: next, phaseTransitionTimestamp: at }],
      conditions: [...conditions.filter(({ type }) => type !== 'Ready'), ready],
      ...more,
    });
  };
  const finish = async (name: string): Promise<void> => {
    await admin.patch(VMIS, name, { type: 'merge', body: { metadata: { finalizers: null } } }, { namespace });
  };
  const make: VmHarness['make'] = (name, spec, metadata = {}) =>
    admin.create(VMS, { metadata: { name, namespace, ...metadata }, spec: { template, ...spec } });
  const untilMade = (name = 'web') => cluster.until(() => instance(name));
  const untilPrinted = (text: string, name = 'web') =>
    cluster.until(async () => (await status(name))?.printableStatus === text);
  const untilGoing = (name = 'web') =>
    cluster.until(async () => (await instance(name))?.metadata.deletionTimestamp !== undefined);

  return {
    ...cluster,
    writes,
    instance,
    vm,
    status,
    phase,
    finish,
    make,
    untilMade,
    untilPrinted,
    untilGoing,
    condition: async (type, name = 'web') => (await status(name))?.conditions?.find((each) => each.type === type),
    untilAnother: (uid, name = 'web') =>
      cluster.until(async () => {
        const found = await instance(name);
        return found !== undefined && found.metadata.uid !== uid ? found : undefined;
      }),
    waitForDeletion: (name = 'web') => cluster.until(async () => (await instance(name)) === undefined),
    untilAway: (name = 'web') =>
      cluster.until(() =>
        vm(name).then(
          () => false,
          () => true,
        ),
      ),
    async running(spec = { runStrategy: 'Always' }, name = 'web') {
      await make(name, spec);
      const made = await untilMade(name);
      await phase(name, 'Running', { nodeName: 'n1' });
      await untilPrinted('Running', name);
      return made;
    },
    async ends(name = 'web') {
      await untilGoing(name);
      await phase(name, 'Succeeded', { reason: 'Stopped' });
      await finish(name);
    },
    async request(stateChangeRequests, name = 'web') {
      const body = { status: { stateChangeRequests } };
      await admin.patch(VMS, name, { type: 'merge', body }, { namespace, subresource: 'status' });
    },
    edit: (name, spec) => admin.patch(VMS, name, { type: 'merge', body: { spec } }, { namespace }),
    control(options = {}, wrap = (client) => client) {
      const controller = vmController({
        dialect: kubevirt,
        dialects: [kubevirt],
        addresses: new AddressPool(),
        throttle: new TransientStatusThrottle(),
        ...options,
      });
      return cluster.operate(
        (parts) => [runnable(controller, parts)],
        (client) => wrap(counting(client)),
      );
    },
  };
}

/** Template of a VM that requests few resources. */
export const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    domain: {
      cpu: { sockets: 1, cores: 2 },
      memory: { guest: '1Gi' },
      devices: { disks: [{ name: 'root', disk: {} }], interfaces: [{ name: 'default', masquerade: {} }] },
    },
    networks: [{ name: 'default', pod: {} }],
    volumes: [{ name: 'root', containerDisk: { image: 'registry.example.com/disk:1' } }],
  },
};

/** Dialect for tests of the engine, which may not import one themselves. */
export const kubevirtDialect: Dialect = kubevirt;
