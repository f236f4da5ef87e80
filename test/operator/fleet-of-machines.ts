import { VMIS, VMS } from '#api/kubevirt/resources';
import { realClock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';

/** A small running VM of kubevirt.io. */
export const machine = (name: string, namespace: string, more: object = {}) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name, namespace },
  spec: {
    running: true,
    template: {
      spec: {
        evictionStrategy: 'LiveMigrate',
        domain: { devices: {}, resources: { requests: { memory: '64Mi', cpu: '10m' } } },
        ...more,
      },
    },
  },
});

const AT_ONCE = 16;

/** Creates VMs, some at a time. */
export async function createMachines(client: Client, namespace: string, names: readonly string[]): Promise<void> {
  const left = [...names];
  const worker = async () => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      await client.create(VMS, machine(name, namespace), { namespace });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Resolves when this many VMs run. Reports the actual number on timeout. */
export async function untilRunning(client: Client, namespace: string, count: number, withinMs: number): Promise<void> {
  const until = realClock.monotonic() + withinMs;
  for (;;) {
    const { items } = await client.list(VMS, { namespace });
    const running = items.filter(({ status }) => status?.printableStatus === 'Running').length;
    if (running === count) return;
    if (realClock.monotonic() > until) throw new Error(`only ${running} of ${count} machines run`);
    await realClock.sleep(500);
  }
}

/** Returns instances with more than one pod or none. Neither may exist. */
export async function oddInstances(client: Client, namespace: string): Promise<string[]> {
  const pods = (await client.list(PODS, { namespace })).items.filter(({ status }) => status?.phase === 'Running');
  const owners = Map.groupBy(pods, ({ metadata }) => metadata.ownerReferences?.[0]?.uid ?? '');
  const { items } = await client.list(VMIS, { namespace });
  const odd = items.filter(({ metadata }) => owners.get(metadata.uid ?? '')?.length !== 1);
  return odd.map(({ metadata }) => `${metadata.name}: ${owners.get(metadata.uid ?? '')?.length ?? 0} pods`);
}
