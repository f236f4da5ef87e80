import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { reportSkipped } from '#testing/programs';
import type { Component } from '../cluster/component.ts';
import { hasKubectl, Kubectl } from '../e2e/support/kubectl.ts';
import { hasPrometheus, Prometheus } from '../e2e/support/prometheus.ts';
import { type RunningServer, startUp, vimana } from '../e2e/support/vimana.ts';
import { words } from '../e2e/support/words.ts';
import { DESCHEDULER_RULES, missingForDescheduler, startDescheduler } from './descheduler.ts';

const WHAT = 'the fleet driven by a real kube-descheduler';
const missing = missingForDescheduler();
if (missing !== '') reportSkipped(`${WHAT}, which needs ${missing}`);
const isReady = missing === '' && hasPrometheus(WHAT) && hasKubectl();

const TIMEOUT = { timeout: 120_000, interval: 500 };
const MACHINES = 12;
/**
 * A node with one VM more than others is not overloaded; otherwise a descheduler that moves two VMs at a time would
 * never settle.
 */
const POLICY = ['rebalance', 'policy', '--window', '2s', '--mode', 'AsymmetricMedium'];
/** Threshold above the mean for an overloaded node in that mode. */
const CROWD = 0.2;
const SHARES = { 'kubevirt.io/vm-cpu-consumption': '0.12', 'kubevirt.io/vm-memory-consumption': '0.1' };

const simulated = (name: string) => ({
  apiVersion: 'simulation.node-classifier.io/v1alpha1',
  kind: 'VirtualMachine',
  metadata: { name },
  spec: { resources: { cpu: '0.12', memory: '0.1' } },
});

/** A VM as large as the others that is live-migrated. */
const migrated = (name: string) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name },
  spec: {
    runStrategy: 'Always',
    template: {
      metadata: { annotations: SHARES },
      spec: {
        evictionStrategy: 'LiveMigrate',
        domain: { cpu: { cores: 4 }, resources: { requests: { cpu: '3840m', memory: '12Gi' } }, devices: {} },
      },
    },
  },
});

const GROUPS = [
  { group: 'simulation.node-classifier.io', made: simulated },
  { group: 'kubevirt.io', made: migrated },
];

interface Place {
  readonly pod: string;
  readonly machine: string;
  readonly node: string;
}

describe.skipIf(!isReady)(WHAT, () => {
  let server: RunningServer;
  let kubectl: Kubectl;
  let prometheus: Prometheus;
  let descheduler: Component | undefined;

  beforeAll(async () => {
    server = await startUp(['--dialects', 'simulation,kubevirt', '--ephemeral', '--nodes', '4', '--empty']);
    kubectl = new Kubectl(server.kubeconfig, server.folder);
    const { stdout } = vimana(server, 'status', '--data-dir', join(server.folder, 'data'), '-o', 'json');
    const { exporter } = JSON.parse(stdout) as { exporter: string };
    const rules = vimana(server, 'rebalance', 'rules', '--window', '2s', '--interval', '500ms').stdout;
    prometheus = await Prometheus.start(exporter, [rules]);
    const account = 'system:serviceaccount:kube-system:descheduler';
    await ok('create serviceaccount descheduler -n kube-system');
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'descheduler' } };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'descheduler' };
    await apply([
      { ...rbac, kind: 'ClusterRole', rules: DESCHEDULER_RULES },
      { ...rbac, kind: 'ClusterRoleBinding', roleRef, subjects: [{ ...roleRef, kind: 'User', name: account }] },
    ]);
  }, 120_000);
  afterEach(async () => {
    await descheduler?.stop('at once');
    for (const { group } of GROUPS) await ok(`delete virtualmachines.${group} --all --timeout=60s`);
  }, 180_000);
  afterAll(async () => {
    await prometheus?.stop();
    await server?.stop();
  });

  const ok = async (args: string, input = '') => {
    const outcome = await kubectl.run(words(args), input);
    expect(outcome, args).toMatchObject({ code: 0 });
    return outcome.out;
  };
  const apply = (items: readonly object[]) =>
    ok('apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));

  /** Returns launchers that run a VM. The target of a migration does not run one yet. */
  const places = async (): Promise<Place[]> => {
    const { items } = JSON.parse(await ok('get pods -l kubevirt.io=virt-launcher -o json')) as {
      items: readonly {
        metadata: { name: string; labels: Record<string, string>; deletionTimestamp?: string };
        spec: { nodeName?: string };
        status: { phase: string };
      }[];
    };
    return items
      .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === 'Running')
      .map(({ metadata, spec }) => ({
        pod: metadata.name,
        machine: metadata.labels['kubevirt.io/domain'] ?? '',
        node: spec.nodeName ?? '',
      }));
  };
  const nodesOf = (found: readonly Place[]) => [...new Set(found.map(({ node }) => node))].sort();

  it.each(GROUPS)(
    'moves VMs of $group off overloaded nodes by the policy that vimana prints, and then stops',
    async ({ group, made }) => {
      await ok('cordon kwok-node-3 kwok-node-4');
      await apply(Array.from({ length: MACHINES }, (_, i) => made(`vm-${i}`)));
      await vi.waitFor(async () => expect(await places()).toHaveLength(MACHINES), TIMEOUT);
      await ok('uncordon kwok-node-3 kwok-node-4');
      const before = await places();
      expect(nodesOf(before)).toEqual(['kwok-node-1', 'kwok-node-2']);
      const annotations = await ok(`get pod ${before[0]?.pod} -o jsonpath={.metadata.annotations}`);
      expect(JSON.parse(annotations)).toMatchObject({ 'descheduler.alpha.kubernetes.io/request-evict-only': 'true' });

      const policy = vimana(server, ...POLICY, '--prometheus', prometheus.url).stdout;
      // The measured value is a mean over some time, which may still include earlier VMs.
      const { 1: query = '' } = /query: (.*)/.exec(policy) ?? [];
      await vi.waitFor(async () => {
        const values = await prometheus.ask(query);
        const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
        expect([values.length, values.filter((each) => each > mean + CROWD).length]).toEqual([4, 2]);
      }, TIMEOUT);
      const authority = await ok('config view --raw -o jsonpath={.clusters[0].cluster.certificate-authority-data}');
      descheduler = await startDescheduler({
        url: server.url,
        token: (await ok('create token descheduler -n kube-system')).trim(),
        certificate: Buffer.from(authority, 'base64').toString(),
        policy,
        folder: mkdtempSync(join(server.folder, 'descheduler-')),
      });

      const crowded = () =>
        [...(descheduler?.log() ?? '').matchAll(/"Number of overutilized nodes".* totalNumber=(\d+)/g)].map(
          ([, count]) => Number(count),
        );
      // Two reports in a row must agree, so that moves in progress at the first are complete at the second.
      await vi.waitFor(() => expect(crowded().slice(-2)).toEqual([0, 0]), TIMEOUT);
      expect(crowded()[0]).toBe(2);
      const log = descheduler.log();
      const asked = [...log.matchAll(/"Eviction in background assumed" pod="default\/virt-launcher-vm-/g)];
      expect(asked.length, log).toBeGreaterThanOrEqual(4);
      // The descheduler may exceed its limits, or select a VM that has just been deleted. No other eviction is
      // rejected.
      const benign = /maximum number of evicted pods|pod not found when evicting/;
      const refused = log.split('\n').filter((line) => /"Error evicting pod"|forbidden/.test(line));
      expect(refused.filter((line) => !benign.test(line))).toEqual([]);
      expect(log).not.toMatch(/totalEvicted=[1-9]/);

      await vi.waitFor(async () => {
        const after = await places();
        expect(nodesOf(after)).toHaveLength(4);
        // Every VM runs exactly once.
        expect(after.map(({ machine }) => machine).sort()).toEqual(before.map(({ machine }) => machine).sort());
      }, TIMEOUT);
      const phases = (await ok('get vmim -o jsonpath={.items[*].status.phase}'))
        .split(' ')
        .filter((each) => each !== '');
      // Simulated VMs are restarted on another node, KubeVirt VMs are live-migrated.
      expect(new Set(phases)).toEqual(new Set(group === 'kubevirt.io' ? ['Succeeded'] : []));
      // No migration is still recorded as in progress, which would count against the limits of later steps.
      await vi.waitFor(
        () => expect(/evictionRequests=(\d+)\s*$/.exec(descheduler?.log().trimEnd() ?? '')?.[1]).toBe('0'),
        TIMEOUT,
      );
    },
    400_000,
  );
});
