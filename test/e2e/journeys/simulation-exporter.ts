import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CLUSTER_EXPORTER_RULES } from '#fleet/exporter/rbac';
import { readManifest } from '#platform/kube/manifest';
import { startExporter } from '../support/exporter.ts';
import { hasKubectl } from '../support/kubectl.ts';
import { onCluster } from '../support/on-cluster.ts';
import type { Target } from '../support/target.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const SCENARIOS = join(ROOT, 'examples/simulation/sample_scenarios.json');
const TIMEOUT = { timeout: 60_000, interval: 100 };

/** `vimana exporter` on any cluster with the operator and twelve simulated nodes. */
export function exporterJourney(where: { readonly name: string; readonly start: () => Promise<Target> }): void {
  describe.skipIf(!hasKubectl())(`vimana exporter on ${where.name}`, () => journey(where.start));
}

function journey(start: () => Promise<Target>): void {
  const cluster = onCluster(start, 300_000);
  const { ok } = cluster;

  it('loads the samples, reports the VMs, and follows kubectl', async () => {
    const exporter = await startExporter(['--scenario', SCENARIOS], { KUBECONFIG: cluster.target.kubeconfig });
    expect(exporter.said()).toContain('Kubernetes client and pod manager initialized');
    expect(exporter.said()).toContain('the first scenario of the file is loaded scenario=light_load');
    expect((await ok('get pods -l app=virt-launcher -o name')).trim().split('\n')).toHaveLength(112);
    expect(await exporter.json('/health')).toEqual({
      status: 'healthy',
      nodes: 12,
      pod_manager_enabled: true,
      k8s_client_ready: true,
    });
    const pod = await ok('get vm vm-1 -o jsonpath={.status.podName}');
    const node = await ok('get vm vm-1 -o jsonpath={.status.nodeName}');
    await ok(`annotate pod ${pod} kubevirt.io/vm-cpu-consumption=3 --overwrite`);
    await vi.waitFor(
      async () => expect((await exporter.json(`/nodes/${node}`))['cpu_usage']).toBeGreaterThan(3),
      TIMEOUT,
    );
    const migrations = [
      { vm_id: 'vm-1', from_node: node, to_node: node === 'kwok-node-6' ? 'kwok-node-5' : 'kwok-node-6' },
    ];
    const feedback = { migrations, destinations: 'planner' };
    const { results } = (await exporter.post('/feedback', feedback)) as { results: Record<string, unknown>[] };
    expect(results[0]).toMatchObject({ vm_id: 'vm-1', success: true, error: null });
    expect(await ok('get pods -l vm=vm-1 -o jsonpath={.items[*].spec.nodeName}')).toBe(results[0]?.['actual_node']);
    const empty = await exporter.post('/scenario', [{ name: 'kwok-node-1' }]);
    expect(empty).toEqual({ status: 'success', nodes_loaded: 1, total_vms: 0, unschedulable: [] });
    expect(await ok('get vm,pods -o name')).toBe('');
    await vi.waitFor(
      async () => expect(await exporter.get('/metrics')).toContain('node_vm_count{node="kwok-node-1"} 0'),
      TIMEOUT,
    );
    await exporter.stop();
  }, 300_000);

  it('counts one namespace, or all', async () => {
    await ok('create namespace other');
    const manifest = join(ROOT, 'examples/simulation/vms/vm-idle.yaml');
    await ok(`apply -n other -f ${manifest}`);
    await ok('wait -n other vm spare --for=jsonpath={.status.phase}=Running --timeout=120s');
    const total = async (...flags: string[]) => {
      const exporter = await startExporter(flags, { KUBECONFIG: cluster.target.kubeconfig });
      const counts = [...(await exporter.get('/metrics')).matchAll(/^node_vm_count\S* (\d+)$/gm)];
      await exporter.stop();
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    expect([await total(), await total('-n', 'other'), await total('-A')]).toEqual([0, 1, 1]);
  }, 300_000);

  it('has manifests that this server accepts, with the permissions that it uses', async () => {
    const files = ['exporter.yaml', 'prometheus.yaml'].map((name) => join(ROOT, 'deploy/exporter', name));
    await ok(`apply --dry-run=server ${files.map((file) => `-f ${file}`).join(' ')}`);
    const objects = readManifest(readFileSync(files[0] ?? '', 'utf8')).documents.map(
      ({ object }) => object as { kind: string; rules?: object },
    );
    expect(objects.find(({ kind }) => kind === 'ClusterRole')?.rules).toEqual(CLUSTER_EXPORTER_RULES);
  });
}
