import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { hasKubectl, Kubectl } from '../e2e/support/kubectl.ts';
import { helm, type Installation, installChart } from './installation.ts';

const SCHEMA = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
/** The CRD by which KubeVirt's own operator is recognized. */
const definition = (kind: string, plural: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.kubevirt.io` },
  spec: {
    group: 'kubevirt.io',
    scope: 'Namespaced',
    names: { kind, plural },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } }],
  },
});
const ITS_OWN = [
  definition('KubeVirt', 'kubevirts'),
  definition('VirtualMachine', 'virtualmachines'),
  definition('VirtualMachineInstance', 'virtualmachineinstances'),
  definition('VirtualMachineInstanceMigration', 'virtualmachineinstancemigrations'),
];

describe.skipIf(missingAssets().length > 0 || !hasKubectl())('beside KubeVirt itself', () => {
  let cluster: RealCluster;
  let kubectl: Kubectl;
  let installed: Installation | undefined;

  beforeAll(async () => {
    cluster = await startRealCluster({ scheduler: false, controllerManager: false });
    kubectl = new Kubectl(cluster.kubeconfig, cluster.folder);
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: ITS_OWN });
    expect(await kubectl.run(['apply', '-f', '-'], input)).toMatchObject({ code: 0 });
    await kubectl.run(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']);
  });
  afterAll(async () => {
    await installed?.stop();
    await cluster?.stop();
  });

  it('a chart that would take kubevirt.io from it is rejected', async () => {
    const args = ['install', 'vimana-operator', 'deploy/helm/vimana', '-n', 'other', '--create-namespace'];
    await expect(helm(cluster, ...args)).rejects.toThrow('set dialects.kubevirt=false and instances=false');
  });

  it('the other groups are managed', async () => {
    installed = await installChart(cluster, { set: ['dialects.kubevirt=false', 'instances=false'] });
    const operator = await installed.startReplica();
    await operator.untilReady();
    expect(operator.log()).not.toMatch(/forbidden|KubeVirt itself/);
  });

  it('an operator for all groups leaves kubevirt.io to it, and reports that', async () => {
    const operator = await installed?.startReplica('--dialects=kubevirt,simulation', '--instances');
    await vi.waitFor(() => expect(operator?.log()).toContain('it manages kubevirt.io'), { timeout: 20_000 });
    await operator?.untilReady();
  });
});
