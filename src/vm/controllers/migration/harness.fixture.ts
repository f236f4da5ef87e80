import { afterEach, beforeEach } from 'vitest';
import { INSTANCE_FINALIZER } from '#api/instance-request';
import { VMIMS, VMIS, type Vmim } from '#api/kubevirt/resources';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import { startVmCluster, type VmCluster } from '#testing/vm-cluster';
import { launcherPod } from '#vm/engine/launcher/launcher-pod';
import { LAUNCHER_SETTINGS } from '#vm/engine/launcher/settings';
import { migrations } from './controller.ts';
import { evacuations } from './evacuation.ts';
import { MIGRATION_RULES } from './rbac.ts';

export const namespace = 'default';

/** Starts a cluster for each test of a file, in which the migration controllers can run, with helpers for tests. */
export function migrationHarness() {
  let cluster: VmCluster;
  beforeEach(async () => {
    cluster = await startVmCluster(MIGRATION_RULES);
    for (const node of ['n1', 'n2', 'n3']) await cluster.makeNode(node);
  });
  afterEach(() => cluster.stop());

  const vmim = (name: string): Promise<Vmim> => cluster.admin.get(VMIMS, name, { namespace });
  const phase = async (name: string) => (await vmim(name)).status?.phase;
  const targets = async () =>
    (await cluster.pods()).filter(({ metadata }) => metadata.labels?.['kubevirt.io/migrationJobUID'] !== undefined);
  const state = async (name: string) => (await cluster.vmi(name)).status?.migrationState;
  const now = () => timestamp(cluster.clock.now());
  const migrate = (name: string, vmiName: string, spec: object = {}) =>
    cluster.admin.create(VMIMS, { metadata: { name, namespace }, spec: { vmiName, ...spec } });
  const reaches = (name: string, desired: string) => cluster.until(async () => (await phase(name)) === desired);
  const target = () => cluster.until(async () => (await targets())[0]);
  async function prepareTarget(name: string, vmiName: string): Promise<Pod> {
    await migrate(name, vmiName);
    const pod = await target();
    await cluster.bind(pod, 'n2');
    await cluster.podStatus(pod, { phase: 'Running' });
    await reaches(name, 'PreparingTarget');
    return pod;
  }
  /** Simulates the reports of the node agents on both nodes. */
  const agents = {
    async ready(name: string) {
      await cluster.vmiStatus(name, { migrationState: { targetNodeAddress: '10.0.0.2:49152' } });
    },
    async begin(name: string) {
      await cluster.vmiStatus(name, { migrationState: { startTimestamp: now() } });
    },
    async succeed(name: string, pod: Pod, node: string) {
      const old = Object.keys((await cluster.vmi(name)).status?.activePods ?? {});
      await cluster.vmiStatus(name, {
        nodeName: node,
        activePods: { ...Object.fromEntries(old.map((uid) => [uid, null])), [pod.metadata.uid ?? '']: node },
        migrationState: { completed: true, endTimestamp: now() },
      });
    },
    async fail(name: string, failureReason: string) {
      await cluster.vmiStatus(name, {
        migrationState: { completed: true, failed: true, failureReason, endTimestamp: now() },
      });
    },
  };

  return {
    get cluster() {
      return cluster;
    },
    get admin() {
      return cluster.admin;
    },
    vmim,
    phase,
    targets,
    state,
    start: (settings = {}, wrap?: (client: Client) => Client) =>
      cluster.operate((parts) => [runnable(migrations(settings), parts), runnable(evacuations(settings), parts)], wrap),
    /** Creates a running instance as its controller and node agent leave it. */
    async running(name: string, node = 'n1', spec: object = {}): Promise<Pod> {
      const vmi = await cluster.admin.create(VMIS, {
        metadata: { name, namespace, finalizers: [INSTANCE_FINALIZER] },
        spec: { domain: { memory: { guest: '1Gi' }, devices: {} }, ...spec },
      });
      const made = launcherPod(vmi, LAUNCHER_SETTINGS, () => undefined);
      const pod = await cluster.admin.create(PODS, made);
      await cluster.bind(pod, node);
      await cluster.runs(name, pod, node);
      return pod;
    },
    migrate,
    reaches,
    target,
    /** Creates a migration whose target pod runs on n2 and is being prepared there. */
    prepareTarget,
    /** Creates a migration that the agents of both nodes are executing. */
    async underway(name: string, vmiName: string): Promise<Pod> {
      const pod = await prepareTarget(name, vmiName);
      await agents.ready(vmiName);
      await agents.begin(vmiName);
      return pod;
    },
    isGone: (name: string) => vmim(name).then(() => false, isNotFound),
    agents,
  };
}
