import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { reportSkipped } from '#testing/programs';
import { findAsset } from '../../cluster/assets.ts';
import { startExporter } from '../support/exporter.ts';
import { hasKubectl } from '../support/kubectl.ts';
import { onCluster } from '../support/on-cluster.ts';
import type { Target } from '../support/target.ts';
import { words } from '../support/words.ts';

const CHART = resolve(import.meta.dirname, '../../../deploy/helm/vimana');
const TIMEOUT = { timeout: 60_000, interval: 100 };
const helm = findAsset('helm');
if (helm === undefined) reportSkipped('the exporter of the chart, which needs helm (in KUBE_ASSETS or PATH)');

/** Permissions of the exporter that the chart installs, on any cluster with the operator and three simulated nodes. */
export function chartExporterJourney(where: { readonly name: string; readonly start: () => Promise<Target> }): void {
  const isMissing = helm === undefined || !hasKubectl();
  describe.skipIf(isMissing)(`the exporter of the chart on ${where.name}`, () => journey(where.start));
}

function journey(start: () => Promise<Target>): void {
  const cluster = onCluster(start, 300_000);
  const { ok } = cluster;

  /** Creates a kubeconfig with exactly the permissions that a release grants its exporter. */
  async function install(release: string, ...set: string[]): Promise<string> {
    const values = ['exporter.enabled=true', ...set].flatMap((value) => ['--set', value]);
    const only = ['-s', 'templates/exporter.yaml', '--kube-version', '1.36.3', '-n', release];
    const { status, stdout, stderr } = spawnSync(helm ?? 'helm', ['template', release, CHART, ...only, ...values], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    await ok(`create namespace ${release}`);
    await ok('apply -f -', stdout);
    const token = (await ok(`create token ${release}-exporter -n ${release}`)).trim();
    const config = JSON.parse(await ok('config view --raw -o json')) as { users: { user: object }[] };
    const file = join(cluster.target.folder, `${release}.kubeconfig`);
    writeFileSync(
      file,
      JSON.stringify({ ...config, users: config.users.map((each) => ({ ...each, user: { token } })) }),
    );
    return file;
  }

  it.each([
    ['in all namespaces', 'wide', ['exporter.allNamespaces=true'], ['--all-namespaces']],
    ['in one namespace', 'narrow', ['exporter.allNamespaces=false', 'exporter.namespace=default'], []],
  ])(
    'has the permissions for everything that it does %s',
    async (_where, release, set, flags) => {
      const kubeconfig = await install(release, ...set);
      const may = (what: string) => cluster.kubectl.run(words(`auth can-i --kubeconfig ${kubeconfig} ${what}`));
      // kube-apiserver learns of new roles by watches.
      for (const what of ['list nodes', 'list pods -n default'])
        await vi.waitFor(async () => expect((await may(what)).out).toBe('yes\n'), TIMEOUT);
      const exporter = await startExporter(['--namespace', 'default', ...flags], { KUBECONFIG: kubeconfig });
      expect(exporter.said()).toContain('Kubernetes client and pod manager initialized');
      const vms = [1, 2, 3].map((i) => ({ id: `vm-${i}`, cpu_consumption: 0.2, memory_consumption: 0.1 }));
      expect(await exporter.post('/scenario', [{ name: 'kwok-node-1', vms }])).toMatchObject({ unschedulable: [] });
      const from_node = await ok('get vm vm-1 -o jsonpath={.status.nodeName}');
      const to_node = from_node === 'kwok-node-1' ? 'kwok-node-2' : 'kwok-node-1';
      const moves = { migrations: [{ vm_id: 'vm-1', from_node, to_node }], destinations: 'planner' };
      expect(await exporter.post('/feedback', moves)).toMatchObject({ results: [{ success: true, error: null }] });
      expect(await exporter.post('/refresh', {})).toMatchObject({ status: 'success', total: 3 });
      await vi.waitFor(async () => expect(await exporter.get('/metrics')).toMatch(/node_vm_count\S* 1\n/), TIMEOUT);
      expect(await exporter.post('/scenario', [{ name: 'kwok-node-1' }])).toMatchObject({ total_vms: 0 });
      await ok(`create serviceaccount driver -n ${release}`);
      const authorization = `Bearer ${(await ok(`create token driver -n ${release}`)).trim()}`;
      const refresh = async (headers: Record<string, string>) =>
        (await fetch(`${exporter.url}/refresh`, { method: 'POST', headers })).status;
      expect(await refresh({ authorization })).toBe(403);
      expect(await refresh({ authorization: 'Bearer guessed' })).toBe(401);
      const role = `--clusterrole=${release}-exporter-user`;
      await ok(`create clusterrolebinding driver-${release} ${role} --serviceaccount=${release}:driver`);
      await vi.waitFor(async () => expect(await refresh({ authorization })).toBe(200), TIMEOUT);
      await exporter.stop();
      expect(exporter.said()).not.toMatch(/forbidden/i);
      expect((await may('list secrets -A')).out).toBe('no\n');
      expect((await may(`list pods -n ${release}`)).out).toBe(release === 'wide' ? 'yes\n' : 'no\n');
      expect((await may('delete nodes')).out).toContain('no');
    },
    300_000,
  );
}
