import { virtualMachine, virtualMachineInstance, virtualMachineInstanceMigration } from '#api/kubevirt/group';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { microTimestamp, timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { LEASES, NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, type PolicyRule } from '#platform/kube/kinds/rbac';
import type { ControllerDeps } from '#platform/runtime/controller';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import type { Runnable } from '#platform/runtime/runnable';
import { crdOf } from '#platform/schema/crd';
import { type Cluster, type ClusterUser, startCluster } from './cluster.ts';

const OPERATOR: ClusterUser = {
  name: 'system:serviceaccount:vimana-system:vimana-operator',
  groups: ['system:serviceaccounts', 'system:authenticated'],
};
const namespace = 'default';

/**
 * Cluster with the VM kinds, whose controllers have exactly the permissions that they declare. The test plays the
 * scheduler and the node agents.
 */
export interface VmCluster extends Cluster {
  /** Client with the permissions of the operator. */
  readonly operator: Client;
  /** Recorded events, as `type reason`. */
  readonly told: string[];
  /** Runs controllers as the operator. `wrap` intercepts their client. */
  operate(make: (parts: ControllerDeps) => readonly Runnable[], wrap?: (client: Client) => Client): () => Promise<void>;
  makeNode(name: string, meta?: object): Promise<void>;
  /** Sends the heartbeat of a node. */
  renew(name: string): Promise<void>;
  pods(): Promise<readonly Pod[]>;
  vmi(name: string): Promise<Vmi>;
  bind(pod: Pod, node: string): Promise<void>;
  /** Writes the status of a pod, as a node agent does for pods and instances. */
  podStatus(pod: Pod, status: object): Promise<void>;
  vmiStatus(name: string, status: object): Promise<void>;
  /** Makes the node agent report that the machine of a pod runs. */
  runs(name: string, pod: Pod, node: string): Promise<void>;
}

export async function startVmCluster(rules: readonly PolicyRule[]): Promise<VmCluster> {
  const cluster = await startCluster();
  const { admin, clock, log, random } = cluster;
  for (const kind of [virtualMachine, virtualMachineInstance, virtualMachineInstanceMigration]) {
    await admin.create(CUSTOM_RESOURCE_DEFINITIONS, crdOf(kind));
  }
  await cluster.until(() =>
    admin.list(VMIS).then(
      () => true,
      () => false,
    ),
  );
  await admin.create(CLUSTER_ROLES, { metadata: { name: 'operator' }, rules });
  await admin.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name: 'operator' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'operator' },
    subjects: [{ kind: 'User', name: OPERATOR.name }],
  });
  const operator = cluster.clientFor(OPERATOR);
  const reported: string[] = [];
  const events: EventRecorder = { event: (_object, type, reason) => void reported.push(`${type} ${reason}`) };

  const podStatus = async ({ metadata }: Pod, status: object): Promise<void> => {
    const options = { namespace, subresource: 'status' };
    await admin.patch(PODS, metadata.name ?? '', { type: 'strategic', body: { status } }, options);
  };
  const vmiStatus = async (name: string, status: object): Promise<void> => {
    await admin.patch(VMIS, name, { type: 'merge', body: { status } }, { namespace, subresource: 'status' });
  };
  return {
    ...cluster,
    operator,
    told: reported,
    operate(make, wrap = (client) => client) {
      const client = wrap(operator);
      const informers = new Informers({ clock, random, log, client });
      return cluster.run(manager('operator', [informers, ...make({ clock, random, log, informers, client, events })]));
    },
    async makeNode(name, meta = {}) {
      await admin.create(NODES, { metadata: { name, labels: { 'kubernetes.io/hostname': name }, ...meta } });
    },
    async renew(name) {
      const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTimestamp(clock.now()) };
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec };
      const place = { namespace: 'kube-node-lease' };
      await admin.apply(
        LEASES,
        { ...body, metadata: { name, ...place } },
        { ...place, fieldManager: name, force: true },
      );
    },
    pods: async () => (await admin.list(PODS, { namespace })).items,
    vmi: (name) => admin.get(VMIS, name, { namespace }),
    async bind({ metadata }, node) {
      const { name = '' } = metadata;
      const target = { apiVersion: 'v1', kind: 'Node', name: node };
      await admin.act(
        PODS,
        name,
        'binding',
        { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target },
        { namespace },
      );
    },
    podStatus,
    vmiStatus,
    async runs(name, pod, node) {
      await podStatus(pod, { phase: 'Running', podIP: '10.244.0.7' });
      const activePods = { [pod.metadata.uid ?? '']: node };
      const at = timestamp(clock.now());
      const conditions = ['Ready', 'LiveMigratable'].map((type) => ({ type, status: 'True', lastTransitionTime: at }));
      await vmiStatus(name, { phase: 'Running', nodeName: node, activePods, conditions });
    },
  };
}
