import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VMIMS, VMIS, VMS } from '#api/kubevirt/resources';
import { LOAD_ANNOTATION } from '#api/launcher';
import { OPERATE } from '#api/operate-verb';
import { realClock } from '#platform/base/clock';
import type { HttpClient } from '#platform/kube/http/http-client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { PODS } from '#platform/kube/kinds/pod';
import { missingAssets } from '../cluster/assets.ts';
import { type RealCluster, startRealCluster } from '../cluster/real-cluster.ts';
import { hasKubectl, Kubectl } from '../e2e/support/kubectl.ts';
import { shell } from '../e2e/support/shell.ts';
import { machine as machineIn } from './fleet-of-machines.ts';
import { type Installation, installChart, type Replica } from './installation.ts';
import { callsIn, type Right, rightsOf, rightText, usesOf } from './rights.ts';

const TIMEOUT = { timeout: 60_000, interval: 200 };
const namespace = 'default';

const machine = (name: string, more: object = {}) => machineIn(name, namespace, more);

/**
 * Permissions that only the ownership check or policies use, without a request. Without them, the objects here would be
 * rejected.
 */
const isEnforced = ({ resource, verb }: Right) => resource.endsWith('/finalizers') || verb === OPERATE;

/**
 * Permissions that are not used here: this cluster has neither CSI snapshots nor metrics, and no interrupted write is
 * looked up.
 */
const ELSEWHERE = new Set([
  ...['get', 'list', 'watch', 'create', 'delete'].map((verb) => `${verb} volumesnapshots.snapshot.storage.k8s.io`),
  'list volumesnapshotclasses.snapshot.storage.k8s.io',
  'get persistentvolumes',
  'patch persistentvolumes',
  'delete persistentvolumeclaims',
  'get pods.metrics.k8s.io',
  'get vmsnapshots.hypersdk.io',
  'get virtualmachineinstancemigrations.kubevirt.io',
  'create leases.coordination.k8s.io in kube-node-lease',
  // Adoption and history of pools (test/novacron-pools.test.ts), and scaling by metrics (novacron-autoscaling.test.ts).
  'get vmpools.novacron.io',
  ...['get', 'update', 'patch', 'delete'].map((verb) => `${verb} controllerrevisions.apps`),
  'create configmaps',
  'update configmaps',
  ...['get', 'list'].flatMap((verb) => [`${verb} *.custom.metrics.k8s.io`, `${verb} *.external.metrics.k8s.io`]),
]);

/** The ownership check learns of new kinds only after a while, and rejects all users but administrators until then. */
async function ownersKnown(kubectl: Kubectl, user: string): Promise<void> {
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'a', uid: 'a', blockOwnerDeletion: true };
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'owned', namespace, ownerReferences: [owner] },
    involvedObject: { namespace },
  };
  const args = ['create', '--dry-run=server', `--as=${user}`, '-f', '-'];
  expect(await kubectl.run(args, JSON.stringify(event))).toMatchObject({ code: 0, err: '' });
}

describe.skipIf(missingAssets().length > 0 || !hasKubectl())('the operator, installed by its chart', () => {
  let cluster: RealCluster;
  let client: HttpClient;
  let installed: Installation;
  let operator: Replica;
  let kubectl: Kubectl;

  beforeAll(async () => {
    cluster = await startRealCluster({
      nodes: 3,
      audit: true,
      // Creating an object that blocks the deletion of its owner requires a permission, which would otherwise not be
      // tested.
      apiServerFlags: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
    });
    client = await cluster.client();
    installed = await installChart(cluster);
    kubectl = new Kubectl(cluster.kubeconfig, cluster.folder);
    await vi.waitFor(() => ownersKnown(kubectl, installed.user), TIMEOUT);
    operator = await installed.startReplica();
  });
  afterAll(async () => {
    await installed?.stop();
    await cluster?.stop();
  });

  const printed = async (name: string) => (await client.get(VMS, name, { namespace })).status?.printableStatus;
  const until = async (name: string, state: string) =>
    await vi.waitFor(async () => expect(await printed(name)).toBe(state), TIMEOUT);
  const ask = async (path: string, body?: object) =>
    await client.request({
      method: 'PUT',
      path: `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/${path}`,
      ...(body === undefined ? {} : { body }),
    });
  const nodeOf = async (name: string) => (await client.get(VMIS, name, { namespace })).status?.nodeName;

  it('becomes ready, and registers its CA with the API server', async () => {
    await operator.untilReady();
    await vi.waitFor(async () => {
      const { code, out } = await kubectl.run(['get', 'apiservices', 'v1.subresources.kubevirt.io']);
      expect([code, out]).toEqual([0, expect.stringMatching(/True/)]);
    }, TIMEOUT);
  });

  it('starts a VM that kubectl applies', async () => {
    await vi.waitFor(async () => {
      const applied = await kubectl.run(['apply', '-f', '-'], JSON.stringify(machine('a')));
      expect(applied).toMatchObject({ code: 0, err: '' });
    }, TIMEOUT);
    await until('a', 'Running');
  });

  it('rejects what the CRDs cannot express, with all causes at once, like the embedded control plane', async () => {
    const bad = machine('bad', { domain: { devices: {}, cpu: { cores: -1 } }, networks: [{ name: 'x' }] });
    const { code, err } = await kubectl.run(
      ['apply', '-f', '-'],
      JSON.stringify({ ...bad, spec: { ...bad.spec, runStrategy: 'Always' } }),
    );
    expect(code).toBe(1);
    expect(err).toContain('The VirtualMachine "bad" is invalid');
    expect(err).toContain('spec.template.spec.domain.cpu.cores');
    expect(err).toContain('Running and RunStrategy are mutually exclusive');
    expect(err).toContain('spec.template.spec.networks[0].name');
  });

  it('stops, starts, restarts, pauses and migrates it on requests through the API server', async () => {
    await ask('virtualmachines/a/stop');
    await until('a', 'Stopped');
    await ask('virtualmachines/a/start');
    await until('a', 'Running');
    const before = (await client.get(VMIS, 'a', { namespace })).metadata.uid;
    await ask('virtualmachines/a/restart');
    await vi.waitFor(async () => {
      expect((await client.get(VMIS, 'a', { namespace })).metadata.uid).not.toBe(before);
    }, TIMEOUT);
    await until('a', 'Running');
    const from = await nodeOf('a');
    await ask('virtualmachines/a/migrate');
    await vi.waitFor(async () => {
      const { items } = await client.list(VMIMS, { namespace });
      expect(items.map(({ status }) => status?.phase)).toEqual(['Succeeded']);
      expect(await nodeOf('a')).not.toBe(from);
    }, TIMEOUT);
  });

  it('manages an instance without a VM, and pauses it', async () => {
    const { spec } = machine('alone').spec.template;
    await client.create(VMIS, { metadata: { name: 'alone', namespace }, spec });
    const found = () => client.get(VMIS, 'alone', { namespace });
    await vi.waitFor(async () => expect((await found()).status?.phase).toBe('Running'), TIMEOUT);
    await ask('virtualmachineinstances/alone/pause');
    const paused = async () => conditionOf((await found()).status?.conditions, 'Paused')?.status;
    await vi.waitFor(async () => expect(await paused()).toBe('True'), TIMEOUT);
    await client.delete(VMIS, 'alone', { namespace });
    await vi.waitFor(async () => await expect(found()).rejects.toMatchObject({ code: 404 }), TIMEOUT);
  });

  it('adopts an instance for a simulated VM, follows its usage, and stops it', async () => {
    const { spec } = machine('sim').spec.template;
    const name = 'sim.simulation';
    await client.create(VMIS, { metadata: { name, namespace }, spec });
    const found = () => client.get(VMIS, name, { namespace });
    await vi.waitFor(async () => expect((await found()).status?.phase).toBe('Running'), TIMEOUT);
    const simulated = (cpu: string) =>
      JSON.stringify({
        apiVersion: 'simulation.node-classifier.io/v1alpha1',
        kind: 'VirtualMachine',
        metadata: { name: 'sim' },
        spec: { resources: { cpu: '1', memory: '1Gi' }, utilization: { cpu, memory: '0.5' } },
      });
    const load = async () => {
      const { items } = await client.list(PODS, { namespace });
      const pod = items.find(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.name === name));
      return pod?.metadata.annotations?.[LOAD_ANNOTATION] ?? '';
    };
    expect(await kubectl.run(['apply', '-f', '-'], simulated('0.2'))).toMatchObject({ code: 0 });
    await vi.waitFor(async () => {
      expect((await found()).metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachine', name: 'sim' }]);
      expect(await load()).not.toBe('');
    }, TIMEOUT);
    const before = await load();
    expect(await kubectl.run(['apply', '-f', '-'], simulated('0.9'))).toMatchObject({ code: 0 });
    await vi.waitFor(async () => expect(await load()).not.toBe(before), TIMEOUT);
    const gone = await kubectl.run(['delete', 'virtualmachines.simulation.node-classifier.io/sim', '--timeout=60s']);
    expect(gone).toMatchObject({ code: 0 });
    await vi.waitFor(async () => await expect(found()).rejects.toMatchObject({ code: 404 }), TIMEOUT);
  });

  it('retains only the last migrations of a VM', async () => {
    for (let turn = 0; turn < 6; turn++) {
      await ask('virtualmachines/a/migrate');
      await vi.waitFor(async () => {
        const { items } = await client.list(VMIMS, { namespace });
        expect(items.every(({ status }) => status?.phase === 'Succeeded')).toBe(true);
      }, TIMEOUT);
    }
    await vi.waitFor(async () => expect((await client.list(VMIMS, { namespace })).items).toHaveLength(5), TIMEOUT);
  });

  it('rejects unauthorized users, and requests that bypass the API server', async () => {
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachines/a/stop`;
    const token = await cluster.tokenFor({ namespace: 'default', name: 'default' });
    const nobody = await cluster.client(token);
    await expect(nobody.request({ method: 'PUT', path })).rejects.toMatchObject({ code: 403 });
    const { request } = await import('node:https');
    const status = await new Promise((resolve, reject) => {
      const headers = { 'x-remote-user': 'kubernetes-admin', 'x-remote-group': 'system:masters' };
      request({
        host: '127.0.0.1',
        port: operator.webhookPort,
        path,
        method: 'PUT',
        headers,
        rejectUnauthorized: false,
      })
        .on('response', (response) => resolve(response.statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(401);
    expect(await printed('a')).toBe('Running');
  });

  it('migrates a VM away from a drained node', async () => {
    const from = (await nodeOf('a')) ?? '';
    const { code, err } = await kubectl.run([
      'drain',
      from,
      '--ignore-daemonsets',
      '--timeout=60s',
      '--delete-emptydir-data',
      '--force',
    ]);
    expect([code, err]).toEqual([0, expect.anything()]);
    expect(await nodeOf('a')).not.toBe(from);
    expect((await client.get(VMIS, 'a', { namespace })).status?.phase).toBe('Running');
    await kubectl.run(['uncordon', from]);
  });

  it('restarts a VM whose node has no heartbeat', async () => {
    const before = (await client.get(VMIS, 'a', { namespace })).metadata.uid;
    await cluster.kwok.stop();
    await vi.waitFor(async () => expect((await client.get(VMIS, 'a', { namespace })).metadata.uid).not.toBe(before), {
      timeout: 90_000,
      interval: 500,
    });
    cluster.kwok.start();
    await until('a', 'Running');
  });

  it('takes a VM of hypersdk.io through its whole lifecycle', async () => {
    const out = await shell(cluster, 'deploy/test-vm-lifecycle.sh');
    expect(out).toContain('PASSED');
  });

  it('runs operations on a VM of hypersdk.io, and deletes finished ones', async () => {
    const apiVersion = 'hypersdk.io/v1alpha1';
    const vmRef = { name: 'h' };
    const made = (kind: string, name: string, spec: object) =>
      kubectl.ok('create -f -', JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec }));
    const wait = (what: string, condition: string) => kubectl.ok(`wait ${what} --for=${condition} --timeout=60s`);
    const operate = async (operation: string, more: object = {}) => {
      await made('VMOperation', operation, { vmRef, operation, ...more });
      await wait(`vmop/${operation}`, 'condition=Succeeded');
    };
    await made('VirtualMachine', 'h', { cpus: 1, memory: '1Gi', image: { source: 'docker://team/debian:12' } });
    await wait('virtualmachines.hypersdk.io/h', 'condition=Ready');
    const networks = [{ name: 'default', ports: [{ port: 22 }] }];
    await kubectl.ok([
      'patch',
      'virtualmachines.hypersdk.io/h',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { networks } }),
    ]);
    const port = () => kubectl.ok('get service/h -o jsonpath={.spec.ports[*].port}');
    await vi.waitFor(async () => expect(await port()).toBe('22'), TIMEOUT);
    await operate('snapshot', { snapshotSpec: { name: 'before' } });
    await operate('restart');
    await operate('restore', { restoreSpec: { snapshotName: 'before' } });
    await made('VMOperation', 'elsewhere', { vmRef: { name: 'h', namespace: 'kube-system' }, operation: 'stop' });
    await wait('vmop/elsewhere', 'condition=Failed');
    const expiresAt = new Date(realClock.now() + 2000).toISOString().replace(/\.\d+Z/, 'Z');
    await made('VMSnapshot', 'short', { vmRef, retention: { expiresAt } });
    await wait('vmsnapshot/short', 'delete');
    await kubectl.ok('annotate virtualmachines.hypersdk.io/h hypersdk.io/retain-disks=true');
    const owners = () => kubectl.ok('get pvc/h-root -o jsonpath={.metadata.ownerReferences}');
    await vi.waitFor(async () => expect(await owners()).toBe(''), TIMEOUT);
    await made('VMOperation', 'delete', { vmRef, operation: 'delete', ttlSecondsAfterFinished: 1 });
    await wait('virtualmachines.hypersdk.io/h', 'delete');
    await wait('vmop/delete', 'delete');
    await kubectl.ok('delete vmsnapshot,vmop,pvc --all --timeout=60s');
  });

  it('adopts an instance for a VM of novacron.io', async () => {
    const name = 'n.novacron';
    await client.create(VMIS, { metadata: { name, namespace }, spec: machine('n').spec.template.spec });
    await shell(cluster, 'bin/vimana vm create n --group novacron.io --cpus 1 --memory 1Gi');
    await vi.waitFor(async () => {
      const { metadata } = await client.get(VMIS, name, { namespace });
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachine', name: 'n' }]);
    }, TIMEOUT);
    await kubectl.ok('delete virtualmachines.novacron.io/n --timeout=60s');
  });

  it.each(['kubevirt.io', 'novacron.io', 'simulation.node-classifier.io'])(
    'runs operations on a VM of %s',
    async (apiGroup) => {
      const type = `virtualmachines.${apiGroup}`;
      const made = await shell(cluster, `bin/vimana vm create o --group ${apiGroup} --cpus 1 --memory 1Gi`);
      expect(made).toContain('created');
      const wait = (what: string, condition: string) => kubectl.ok(`wait ${what} --for=${condition} --timeout=60s`);
      await wait(`${type}/o`, 'condition=Ready');
      const operate = async (operation: string, more: object = {}) => {
        const spec = { vmRef: { name: 'o', apiGroup }, operation, ...more };
        const metadata = { name: operation, namespace };
        const object = { apiVersion: 'hypersdk.io/v1alpha1', kind: 'VMOperation', metadata, spec };
        await kubectl.ok('create -f -', JSON.stringify(object));
        await wait(`vmop/${operation}`, 'condition=Succeeded');
      };
      await operate('restart');
      await operate('stop');
      await operate('clone', { cloneSpec: { targetName: 'o-2' } });
      await operate('start');
      await operate('migrate', { migrateSpec: { live: false } });
      await operate('delete');
      await wait(`${type}/o`, 'delete');
      await kubectl.ok(`delete ${type}/o-2 --timeout=60s`);
      await kubectl.ok('delete vmop --all --timeout=60s');
    },
  );

  it('maintains a pool of VMs, which it scales in, out and by metrics', async () => {
    const vms = async () =>
      (await kubectl.ok('get virtualmachines.novacron.io -l novacron.io/pool=p -o name')).split('\n');
    const untilVms = async (count: number) =>
      await vi.waitFor(async () => expect((await vms()).filter(Boolean)).toHaveLength(count), TIMEOUT);
    const image = { source: 'marketplace://debian-12' };
    const template = { spec: { resources: { cpu: 1, memory: '1Gi' }, image } };
    const apply = async (spec: object) => {
      const object = { apiVersion: 'novacron.io/v1alpha1', kind: 'VMPool', metadata: { name: 'p', namespace }, spec };
      await kubectl.ok('apply -f -', JSON.stringify(object));
    };
    const spec = { replicas: 2, minReplicas: 1, maxReplicas: 3, template };
    await apply(spec);
    await untilVms(2);
    await kubectl.ok('scale vmpools.novacron.io/p --replicas=1');
    await untilVms(1);
    const metrics = [{ type: 'custom', metric: { name: 'orders' }, targetValue: '10' }];
    await apply({ ...spec, replicas: 1, autoscaling: { enabled: true, metrics } });
    const condition = "jsonpath={.status.conditions[?(@.type=='ScalingActive')].reason}";
    const reason = () => kubectl.ok(['get', 'vmpools.novacron.io/p', '-o', condition]);
    await vi.waitFor(async () => expect(await reason()).toBe('FailedGetMetrics'), TIMEOUT);
    await kubectl.ok('delete vmpools.novacron.io/p --timeout=60s');
    await untilVms(0);
  });

  it('cleans up after a deleted VM', async () => {
    const { code } = await kubectl.run(['delete', 'virtualmachines.kubevirt.io/a', '--timeout=60s']);
    expect(code).toBe(0);
    await vi.waitFor(async () => {
      expect((await client.list(VMIS, { namespace })).items).toEqual([]);
      expect((await client.list(PODS, { namespace })).items).toEqual([]);
    }, TIMEOUT);
  });

  it('was never denied a request, and uses every permission that it has', async () => {
    await operator.stop();
    const calls = callsIn(cluster.auditLog).filter(({ user }) => user === installed.user);
    const lines = operator.log().split('\n');
    expect(lines.filter((line) => /forbidden/i.test(line))).toEqual([]);
    expect(calls.filter(({ code }) => code === 403)).toEqual([]);
    const rights = await rightsOf(client, installed.account);
    const unused = rights.filter((right) => !isEnforced(right) && usesOf(right, rights, calls).length === 0);
    expect(unused.map(rightText).filter((right) => !ELSEWHERE.has(right))).toEqual([]);
  });
});
