import { Agent, get } from 'node:http';
import { formatLoad } from '#api/launcher-load';
import type { FleetBackend } from '#fleet/exporter/fleet-backend';
import { NodeLoads } from '#fleet/exporter/node-loads';
import { exporterRoutes } from '#fleet/exporter/routes';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Change, IndexedCache } from '#platform/runtime/cache';
import { startHttpServer } from '#platform/runtime/http/http-server';
import type { Informer } from '#platform/runtime/informer';

const CASES = [
  { nodes: 1_000, vms: 20_000, target: 'at most 50 ms' },
  { nodes: 5_000, vms: 100_000, target: 'at most 200 ms' },
] as const;
const SCRAPES = 200;
const WARM_UP = 20;

/** Measures a scrape over HTTP, and the effect of a changed pod. The first scrapes do not count. */
export async function run(): Promise<void> {
  for (const { nodes, vms, target } of CASES) {
    const [nodeSource, podSource] = [source<Node>(), source<Pod>()];
    const informers = { nodes: nodeSource as unknown as Informer<Node>, pods: podSource as unknown as Informer<Pod> };
    const loads = new NodeLoads({ ...informers, clock: realClock });
    for (let i = 0; i < nodes; i++) nodeSource.cache.put(node(i));
    const pods = Array.from({ length: vms }, (_, i) => pod(i, i % nodes));
    const begun = process.cpuUsage();
    for (const each of pods) podSource.cache.put(each);
    const perPod = process.cpuUsage(begun).user / vms;
    const fleet = { loads: () => loads.all() } as unknown as FleetBackend;
    const server = await startHttpServer({
      port: 0,
      clock: realClock,
      log: noopLogger,
      routes: exporterRoutes(fleet),
    });
    const agent = new Agent({ keepAlive: true });
    const times: number[] = [];
    let [bytes, cpu] = [0, 0];
    for (let i = -WARM_UP; i < SCRAPES; i++) {
      // One VM changes its node between two scrapes.
      podSource.cache.put(pod(1, Math.abs(i) % nodes));
      const [from, before] = [realClock.monotonic(), process.cpuUsage()];
      bytes = await scrape(`${server.url}/metrics`, agent);
      const { user, system } = process.cpuUsage(before);
      if (i < 0) continue;
      times.push(realClock.monotonic() - from);
      cpu += (user + system) / 1000 / SCRAPES;
    }
    agent.destroy();
    await server.close();
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.min(SCRAPES - 1, Math.floor(SCRAPES * share))] ?? 0).toFixed(1);
    console.log(
      `  /metrics of ${nodes} nodes, ${vms} machines: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${target}), ${cpu.toFixed(1)} ms CPU of both ends, ${Math.round(bytes / 1024)} KiB; ${perPod.toFixed(1)} us CPU a pod that comes`,
    );
  }
}

/** Returns the number of received bytes, without parsing them. */
function scrape(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => void (bytes += chunk.length));
      answer.on('end', () => resolve(bytes)).on('error', reject);
    }).on('error', reject);
  });
}

function source<T extends KubeObject>() {
  const listeners: ((change: Change<T>) => void)[] = [];
  const cache = new IndexedCache<T>((change) => {
    for (const listener of listeners) listener(change);
  });
  return { cache, onChange: (listener: (change: Change<T>) => void) => listeners.push(listener) };
}

const allocatable = { cpu: '32', memory: '128Gi' };

function node(i: number): Node {
  const metadata = { name: `kwok-node-${i}`, uid: `n${i}`, resourceVersion: `${i + 1}`, labels: { type: 'kwok' } };
  return { apiVersion: 'v1', kind: 'Node', metadata, status: { allocatable } };
}

function pod(i: number, on: number): Pod {
  const [cpu, memory] = [`0.0${(i % 9) + 1}`, '0.04'];
  const metadata = {
    name: `virt-launcher-vm-${i}-abcde`,
    namespace: 'default',
    uid: `p${i}`,
    resourceVersion: `${i + 1}`,
    labels: { 'kubevirt.io/domain': `vm-${i}`, 'kubevirt.io/created-by': `i${i}` },
    annotations: {
      'kubevirt.io/vm-cpu-consumption': cpu,
      'kubevirt.io/vm-memory-consumption': memory,
      'vimana.io/load': formatLoad({ cpu, memory, node: allocatable }),
    },
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { nodeName: `kwok-node-${on}`, containers: [] },
    status: { phase: 'Running' },
  };
}
