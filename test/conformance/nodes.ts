import { realClock } from '#platform/base/clock';
import { systemRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { httpClient } from '#platform/kube/http/http-client';
import { LEASES, NODES } from '#platform/kube/kinds/node';
import { loadClusterAccess } from '#platform/kube/kubeconfig/load';
import { nodeHostEnvironment } from '#platform/kube/kubeconfig/node-host-environment';

const CAPACITY = { cpu: '32', memory: '64Gi', pods: '110', 'ephemeral-storage': '100Gi' };
const WHEN = '2026-01-01T00:00:00Z';
const HEARTBEAT = 10_000;
const NAMES = ['node-1', 'node-2'];

/** Simulates ready nodes that run nothing until the signal, because the suite does not start without nodes. */
export async function playNodes(kubeconfig: string, signal: AbortSignal): Promise<void> {
  const environment = nodeHostEnvironment({ env: {}, clock: realClock, terminal: false });
  const access = await loadClusterAccess({ kubeconfig }, environment);
  const client = httpClient({ access, clock: realClock, random: systemRandom(), userAgent: 'played-nodes' });
  for (const name of NAMES) await createNode(client, name);
  void beat(client, signal);
}

async function createNode(client: Client, name: string): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  const ready = { type: 'Ready', status: 'True', reason: 'Played', lastHeartbeatTime: WHEN, lastTransitionTime: WHEN };
  const addresses = [{ type: 'InternalIP', address: '192.0.2.1' }];
  const status = { capacity: CAPACITY, allocatable: CAPACITY, addresses, conditions: [ready] };
  await client.create(NODES, { metadata: { name, labels }, status });
  await client.create(LEASES, lease(name), { namespace: 'kube-node-lease' });
}

async function beat(client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await realClock.sleep(HEARTBEAT, signal).catch(() => undefined);
    for (const name of signal.aborted ? [] : NAMES) {
      const patch = { type: 'merge', body: { spec: lease(name).spec } } as const;
      await client.patch(LEASES, name, patch, { namespace: 'kube-node-lease' }).catch(() => undefined);
    }
  }
}

function lease(name: string) {
  const renewTime = new Date(realClock.now()).toISOString().replace('Z', '000Z');
  return { metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime } };
}
