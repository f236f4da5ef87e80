import { afterEach, beforeEach } from 'vitest';
import { INSTANCE_FINALIZER } from '#api/instance-request';
import { VMIS } from '#api/kubevirt/resources';
import type { Client } from '#platform/kube/client';
import type { Pod } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { runnable } from '#platform/runtime/controller';
import { startVmCluster, type VmCluster } from '#testing/vm-cluster';
import { instances } from './controller.ts';
import { INSTANCE_RULES, NODE_LEASE_RULES } from './rbac.ts';

export const namespace = 'default';
export const domain = { memory: { guest: '1Gi' }, devices: {} };

/** Starts a cluster for each test of a file, in which the instance controller can run, with helpers for tests. */
export function instanceHarness() {
  let cluster: VmCluster;
  beforeEach(async () => {
    cluster = await startVmCluster([...INSTANCE_RULES, ...NODE_LEASE_RULES]);
  });
  afterEach(() => cluster.stop());

  /** Creates an instance with the finalizer, as the VM controller does. */
  const make = (name: string, spec: object = {}, meta: object = {}) =>
    cluster.admin.create(VMIS, {
      metadata: { name, namespace, finalizers: [INSTANCE_FINALIZER], ...meta },
      spec: { domain, ...spec },
    });
  const onlyPod = () => cluster.until(async () => (await cluster.pods())[0]);
  const status = async (name = 'web') => (await cluster.vmi(name)).status;
  return {
    get cluster() {
      return cluster;
    },
    get admin() {
      return cluster.admin;
    },
    make,
    onlyPod,
    status,
    start: (settings = {}, wrap?: (client: Client) => Client) =>
      cluster.operate((parts) => [runnable(instances(settings), parts)], wrap),
    condition: async (type: string) => (await status())?.conditions?.find((each) => each.type === type),
    isGone: (name = 'web') => cluster.vmi(name).then(() => false, isNotFound),
    /** Creates an instance that its node agent reports as running. */
    async running(spec: object = {}, node = 'n1'): Promise<Pod> {
      await make('web', spec);
      const pod = await onlyPod();
      await cluster.bind(pod, node);
      await cluster.runs('web', pod, node);
      await cluster.settle();
      return pod;
    },
  };
}
