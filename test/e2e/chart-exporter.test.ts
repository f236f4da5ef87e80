import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findAsset } from '../cluster/assets.ts';
import { startExporter } from './support/exporter.ts';
import { hasKubectl, Kubectl } from './support/kubectl.ts';
import { type RunningServer, startUp } from './support/vimana.ts';
import { words } from './support/words.ts';

const CHART = resolve(import.meta.dirname, '../../deploy/helm/vimana');
const helm = findAsset('helm');
if (helm === undefined)
  process.stdout.write('skipped: the exporter of the chart needs helm (in KUBE_ASSETS or PATH)\n');

describe.skipIf(helm === undefined || !hasKubectl())('the exporter of the chart', () => {
  let server: RunningServer;
  let kubectl: Kubectl;
  beforeAll(async () => {
    server = await startUp(['--dialects', 'simulation', '--ephemeral', '--nodes', '3']);
    kubectl = new Kubectl(server.kubeconfig, server.folder);
  }, 60_000);
  afterAll(() => server?.stop());
  const ok = async (args: string, input = '') => {
    const outcome = await kubectl.run(words(args), input);
    expect(outcome, args).toMatchObject({ code: 0 });
    return outcome.out;
  };

  /** A kubeconfig with the rights that a release gives its exporter, and no others. */
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
    const file = join(server.folder, `${release}.kubeconfig`);
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
    'has the rights for everything that it does %s',
    async (_where, release, set, flags) => {
      const kubeconfig = await install(release, ...set);
      const exporter = await startExporter(['--namespace', 'default', ...flags], { KUBECONFIG: kubeconfig });
      expect(exporter.said()).toContain('Kubernetes client and pod manager initialized');
      const vms = [1, 2, 3].map((i) => ({ id: `vm-${i}`, cpu_consumption: 0.2, memory_consumption: 0.1 }));
      expect(await exporter.post('/scenario', [{ name: 'kwok-node-1', vms }])).toMatchObject({ unschedulable: [] });
      const from_node = await ok('get vm vm-1 -o jsonpath={.status.nodeName}');
      const to_node = from_node === 'kwok-node-1' ? 'kwok-node-2' : 'kwok-node-1';
      const moves = { migrations: [{ vm_id: 'vm-1', from_node, to_node }] };
      expect(await exporter.post('/feedback', moves)).toMatchObject({ results: [{ success: true, error: null }] });
      expect(await exporter.post('/refresh', {})).toMatchObject({ status: 'success', total: 3 });
      await vi.waitFor(async () => expect(await exporter.get('/metrics')).toMatch(/node_vm_count\S* 1\n/));
      expect(await exporter.post('/scenario', [{ name: 'kwok-node-1' }])).toMatchObject({ total_vms: 0 });
      await exporter.stop();
      expect(exporter.said()).not.toMatch(/forbidden/i);
      const may = (what: string) => kubectl.run([...words(`auth can-i --kubeconfig ${kubeconfig} ${what}`)]);
      expect((await may('list secrets -A')).out).toBe('no\n');
      expect((await may(`list pods -n ${release}`)).out).toBe(release === 'wide' ? 'yes\n' : 'no\n');
      expect((await may('delete nodes')).out).toContain('no');
    },
    90_000,
  );
});
