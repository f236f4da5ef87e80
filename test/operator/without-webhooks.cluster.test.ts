import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VMIS, VMS } from '#api/kubevirt/resources';
import type { HttpClient } from '#platform/kube/http/http-client';
import { conditionOf, type KubeCondition } from '#platform/kube/kinds/condition';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { hasKubectl, Kubectl } from '../e2e/support/kubectl.ts';
import { BAD_OBJECTS, type BadObject } from './bad-objects.ts';
import { machine, untilRunning } from './fleet-of-machines.ts';
import { type Installation, installChart, type Replica } from './installation.ts';

const TIMEOUT = { timeout: 60_000, interval: 200 };
const namespace = 'default';
/** Groups whose VMs are managed. */
const ACTED_ON = /^(kubevirt|simulation\.)/;

interface Seen {
  readonly metadata: { readonly finalizers?: readonly string[] };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly KubeCondition[];
    readonly migrationState?: { readonly failureReason?: string };
  };
}

describe.skipIf(missingAssets().length > 0 || !hasKubectl())('the operator without webhooks', () => {
  let cluster: RealCluster;
  let client: HttpClient;
  let installed: Installation;
  let operator: Replica;
  let kubectl: Kubectl;
  /** Objects that the CRDs alone admit. */
  const stored: BadObject['object'][] = [];

  beforeAll(async () => {
    cluster = await startRealCluster({ nodes: 2 });
    client = await cluster.client();
    installed = await installChart(cluster, { set: ['webhook.enabled=false'] });
    operator = await installed.startReplica();
    await operator.untilReady();
    kubectl = new Kubectl(cluster.kubeconfig, cluster.folder);
  });
  afterAll(async () => {
    await installed?.stop();
    await cluster?.stop();
  });

  const seen = async ({ apiVersion, kind, metadata }: BadObject['object']): Promise<Seen> => {
    const [group] = apiVersion.split('/');
    const { name } = metadata;
    const { out, err } = await kubectl.run(['get', `${kind.toLowerCase()}s.${group}`, name, '-o', 'json']);
    expect(err).toBe('');
    return JSON.parse(out) as Seen;
  };
  const instances = async () => (await client.list(VMIS, { namespace })).items;

  it('runs VMs, and protects them by finalizers until they are cleaned up', async () => {
    await client.create(VMS, machine('good', namespace));
    await untilRunning(client, namespace, 1, 60_000);
    const { metadata } = await client.get(VMS, 'good', { namespace });
    expect(metadata.finalizers).toContain('kubevirt.io/virtualMachineControllerFinalize');
    expect((await instances())[0]?.metadata.finalizers).toContain('foregroundDeleteVirtualMachine');
  });

  it('relies on the API server to reject what the CRDs can express', async () => {
    for (const { object } of BAD_OBJECTS.filter((each) => ACTED_ON.test(each.object.apiVersion))) {
      // It should run, so that its start would be observed.
      const halted = (object.spec as { runStrategy?: string }).runStrategy === 'Halted';
      const spec = halted ? { ...object.spec, runStrategy: 'Always' } : object.spec;
      const { code, err } = await kubectl.run(['create', '-f', '-'], JSON.stringify({ ...object, spec }));
      if (code === 0) stored.push(object);
      else expect(err).toContain(' is invalid:');
    }
    expect(stored.length).toBeGreaterThan(8);
    expect(stored.length).toBeLessThan(BAD_OBJECTS.length - 8);
  });

  it('reports what is wrong with other objects, and does not act on them', async () => {
    for (const object of stored) {
      await vi.waitFor(async () => {
        const { status } = await seen(object);
        const told = [
          conditionOf(status?.conditions, 'Failure')?.message,
          conditionOf(status?.conditions, 'Synchronized')?.message,
          status?.migrationState?.failureReason,
        ];
        expect([JSON.stringify(object), told.join('')]).toEqual([
          JSON.stringify(object),
          expect.stringContaining(' is invalid: '),
        ]);
      }, TIMEOUT);
    }
    // Besides the valid one, there are only those that were created invalid, and none of them has made progress.
    const own = stored.filter(({ kind }) => kind === 'VirtualMachineInstance');
    expect(own.length).toBeGreaterThan(0);
    const others = (await instances()).filter(({ metadata }) => metadata.name !== 'good');
    expect(others.map(({ metadata }) => metadata.name)).toHaveLength(own.length);
    expect(others.map(({ status }) => status?.phase)).toEqual(own.map(() => 'Pending'));
    expect(operator.log()).not.toMatch(/forbidden|"level":"error"/i);
  });

  it('starts a corrected one, and lets all of them be deleted', async () => {
    const spec = { runStrategy: 'Always', running: null, template: machine('x', namespace).spec.template };
    const bad = stored.find(({ apiVersion, kind }) => apiVersion === 'kubevirt.io/v1' && kind === 'VirtualMachine');
    const name = bad?.metadata.name ?? '';
    const patch = [{ op: 'replace', path: '/spec', value: spec }];
    const args = ['patch', `virtualmachines.kubevirt.io/${name}`, '--type=json', '-p', JSON.stringify(patch)];
    expect(await kubectl.run(args)).toMatchObject({ code: 0 });
    await vi.waitFor(async () => {
      expect((await client.get(VMS, name, { namespace })).status?.printableStatus).toBe('Running');
    }, TIMEOUT);
    for (const kind of [
      'virtualmachines.kubevirt.io',
      'virtualmachines.simulation.node-classifier.io',
      'vmi',
      'vmim',
    ]) {
      expect(await kubectl.run(['delete', kind, '--all', '--timeout=60s'])).toMatchObject({ code: 0 });
    }
    expect(await instances()).toEqual([]);
  });
});
