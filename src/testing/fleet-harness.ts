import { IDENTITY_ANNOTATION } from '#api/instance-request';
import { virtualMachineInstance } from '#api/kubevirt/group';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL, LAUNCHER_LABEL, LAUNCHER_LABEL_VALUE, MIGRATION_LABEL } from '#api/launcher';
import type { Client } from '#platform/kube/client';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import { crdOf } from '#platform/schema/crd';
import { type FleetOptions, SimulatedFleet } from '#vm/node/simulated/simulated-fleet';
import { type Cluster, startCluster } from './cluster.ts';

const WRITES = new Set(['create', 'update', 'patch', 'delete']);
export const namespace = 'default';
export const IMAGE = 'registry.example.com/app:1';

/** Cluster in which only a fleet of simulated nodes runs. The test plays all other components. */
export interface FleetHarness {
  readonly cluster: Cluster;
  readonly admin: Client;
  /** Every write of the fleets: verb, resource and name. */
  readonly writes: string[];
  /** Events that fleets have recorded for pods, machines and nodes. */
  readonly told: string[];
  readonly toldOfNodes: string[];
  /** While true, no request of a fleet gets through. */
  cutOff: boolean;
  /** Starts a fleet. Its user defaults to one with all permissions. */
  start(
    options?: Partial<FleetOptions>,
    as?: Client,
  ): { readonly fleet: SimulatedFleet; readonly stop: () => Promise<void> };
  makeInstance(name: string, given?: { spec?: object; annotations?: Record<string, string> }): Promise<Vmi>;
  createLauncherPod(
    vmi: Vmi,
    node: string,
    given?: { name?: string; migration?: string; grace?: number },
  ): Promise<Pod>;
  makePod(
    name: string,
    given?: { spec?: object; annotations?: Record<string, string>; metadata?: object },
  ): Promise<Pod>;
  instance(name: string): Promise<Vmi>;
  pod(name: string): Promise<Pod>;
  annotate(vmi: string, annotations: Record<string, string | null>): Promise<void>;
  /** Waits, without advancing time, until an instance is in a phase. */
  untilPhase(name: string, phase: string): Promise<Vmi>;
  untilPod(name: string, check: (pod: Pod) => boolean): Promise<Pod>;
  untilPodGone(name: string): Promise<void>;
}

export async function fleetHarness(): Promise<FleetHarness> {
  const cluster = await startCluster();
  const { admin, clock, random, log } = cluster;
  await admin.create(CUSTOM_RESOURCE_DEFINITIONS, crdOf(virtualMachineInstance));
  await cluster.until(() =>
    admin.list(VMIS).then(
      () => true,
      () => false,
    ),
  );
  const harness: FleetHarness = {
    cluster,
    admin,
    writes: [],
    told: [],
    toldOfNodes: [],
    cutOff: false,
    start(options = {}, as = admin) {
      const informers = new Informers({ clock, random, log, client: as });
      const events: EventRecorder = {
        event({ kind, metadata }, type, reason) {
          const reported = kind === 'Node' ? harness.toldOfNodes : harness.told;
          reported.push(`${metadata.name} ${type} ${reason}`);
        },
      };
      const client = recordingClient(as, harness);
      const fleet = new SimulatedFleet(
        { client, informers, clock, random, log, events },
        { pools: [{ count: 3 }], ...options },
      );
      const stop = cluster.run(manager('test', [informers, fleet]));
      return { fleet, stop };
    },
    async makeInstance(name, { spec = {}, annotations = {} } = {}) {
      const identity = { default: { mac: '02:00:00:00:00:01', ip: '10.244.0.7' } };
      return await admin.create(VMIS, {
        metadata: { name, namespace, annotations: { [IDENTITY_ANNOTATION]: JSON.stringify(identity), ...annotations } },
        spec: { domain: { memory: { guest: '1Gi' }, devices: {} }, ...spec },
      });
    },
    async createLauncherPod(
      { metadata },
      nodeName,
      { name = `launcher-${metadata.name}`, migration, grace = 45 } = {},
    ) {
      const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', controller: true };
      return await admin.create(PODS, {
        metadata: {
          name,
          namespace,
          labels: {
            [LAUNCHER_LABEL]: LAUNCHER_LABEL_VALUE,
            [CREATED_BY_LABEL]: metadata.uid,
            ...(migration === undefined ? {} : { [MIGRATION_LABEL]: migration }),
          },
          ownerReferences: [{ ...owner, name: metadata.name, uid: metadata.uid }],
        },
        spec: {
          nodeName,
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: grace,
          containers: [{ name: 'compute', image: IMAGE }],
        },
      });
    },
    async makePod(name, { spec = {}, annotations = {}, metadata = {} } = {}) {
      return await admin.create(PODS, {
        metadata: { name, namespace, annotations, ...metadata },
        spec: { nodeName: 'kwok-node-1', containers: [{ name: 'main', image: IMAGE }], ...spec },
      });
    },
    instance: (name) => admin.get(VMIS, name, { namespace }),
    pod: (name) => admin.get(PODS, name, { namespace }),
    async annotate(name, annotations) {
      await admin.patch(VMIS, name, { type: 'merge', body: { metadata: { annotations } } }, { namespace });
    },
    untilPhase: (name, phase) =>
      cluster.until(async () => {
        const found = await harness.instance(name);
        return found.status?.phase === phase && found;
      }),
    untilPod: (name, check) =>
      cluster.until(async () => {
        const found = await harness.pod(name);
        return check(found) && found;
      }),
    async untilPodGone(name) {
      await cluster.until(() => harness.pod(name).then(() => false, isNotFound));
    },
  };
  return harness;
}

/** Returns a client that records writes, and fails while the harness is cut off. */
function recordingClient(client: Client, harness: FleetHarness): Client {
  return new Proxy(client, {
    get(target, verb: keyof Client) {
      if (!WRITES.has(verb)) return target[verb];
      return async (...args: unknown[]) => {
        if (harness.cutOff) throw new TypeError('fetch failed');
        const [type, second] = args as [{ plural: string }, string | { metadata: { name: string } }];
        const name = typeof second === 'string' ? second : second.metadata.name;
        const { subresource = '' } = (args.at(-1) ?? {}) as { subresource?: string };
        harness.writes.push(`${verb} ${type.plural}${subresource === '' ? '' : `/${subresource}`} ${name}`);
        return await (target[verb] as (...args: unknown[]) => Promise<unknown>)(...args);
      };
    },
  });
}
