import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GROUPS } from '#api/groups';
import { virtualMachine as hypersdkMachine } from '#api/hypersdk/virtual-machine';
import { resourceTypeFor } from '#api/kubevirt/resources';
import { virtualMachine as novacronMachine } from '#api/novacron/virtual-machine';
import { virtualMachine as simulatedMachine } from '#api/simulation/group';
import { type Plane, startPlane } from '#control-plane/apiserver/apiextensions/plane.fixture';
import { realClock } from '#platform/base/clock';
import { microTimestamp } from '#platform/base/timestamp';
import type { Client, ResourceType } from '#platform/kube/client';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { LEASES, NODES } from '#platform/kube/kinds/node';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, type PolicyRule } from '#platform/kube/kinds/rbac';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { STATEFUL_SETS } from '#platform/kube/kinds/workloads';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { vmPlugins } from '#programs/embedded/vm-plugins';
import { runCommand } from '#testing/command-harness';

const SIMULATION = ['--dialects', 'simulation'];

describe('vimana install', () => {
  let server: Plane;
  let admin: Client;
  const run = (...args: string[]) => runCommand(admin, args);
  const as = (name: string, ...args: string[]) =>
    runCommand(server.plane.client({ name, groups: ['system:authenticated'] }, name), args);
  const names = async () => (await admin.list(CUSTOM_RESOURCE_DEFINITIONS)).items.map(({ metadata }) => metadata.name);

  async function allow(user: string, rules: readonly PolicyRule[]): Promise<void> {
    await admin.create(CLUSTER_ROLES, { metadata: { name: user }, rules });
    await admin.create(CLUSTER_ROLE_BINDINGS, {
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ kind: 'User', name: user }],
    });
  }

  beforeEach(async () => {
    server = await startPlane({ plugins: vmPlugins() });
    admin = server.client;
  });
  afterEach(() => server.plane.stop());

  it('changes nothing in a dry run, and then does what that has printed', async () => {
    const wish = ['install', ...SIMULATION, '--nodes', '2', '--examples'];
    const dry = await run(...wish, '--dry-run');
    expect(dry.code).toBe(0);
    expect(await names()).toEqual([]);
    expect((await admin.list(NODES)).items).toEqual([]);
    const done = await run(...wish);
    const objects = (out: string) => out.split('\n').filter((line) => line.includes('/') && line.includes(' created'));
    expect(objects(done.out).toSorted()).toEqual(
      objects(dry.out)
        .map((line) => line.replace(' (server dry run)', ''))
        .toSorted(),
    );
    expect(await names()).toContain('virtualmachines.simulation.node-classifier.io');
    expect((await admin.list(NODES)).items.map(({ status }) => status?.capacity?.['cpu'])).toEqual(['32', '32']);
  });

  it('reports everything as unchanged the second time, and reports what is not', async () => {
    const wish = ['install', ...SIMULATION, '--nodes', '1', '--examples'];
    expect((await run(...wish)).out).toMatch(
      /^(?:\S+ created\n)+4 kinds are served\n(?:\S+ created\n){7}\d+ created, 0 configured, 0 unchanged\n/,
    );
    expect((await run(...wish)).out).toMatch(
      /^(?:\S+ unchanged\n)+4 kinds[^]*\n0 created, 0 configured, \d+ unchanged\n/,
    );
    const larger = await run(...wish, '--node-size', '64cpu,256Gi');
    expect(larger.out).toContain('node/kwok-node-1 configured\n');
    expect(larger.out).toMatch(/\n0 created, 1 configured, \d+ unchanged\n/);
    expect((await admin.get(NODES, 'kwok-node-1')).status?.capacity?.['cpu']).toBe('64');
  });

  it('reports everything that is missing at once, and changes nothing', async () => {
    await allow('newcomer', [
      { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get'] },
    ]);
    const { code, out, err } = await as(
      'newcomer',
      'install',
      ...SIMULATION,
      '--nodes',
      '1',
      '--examples',
      '-n',
      'lab',
    );
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^stages\.kwok\.x-k8s\.io not found|^error: nothing was changed because\n {2}newcomer lacks permission to:\n/,
    );
    for (const line of [
      'create, patch, watch customresourcedefinitions.apiextensions.k8s.io',
      'get, create, patch serviceaccounts in namespace vimana-system',
      'get, create, patch, list nodes',
      'patch nodes/status',
      'get, create, patch virtualmachines.simulation.node-classifier.io in namespace lab',
    ]) {
      expect(err).toContain(`\n    ${line}\n`);
    }
    expect(err).toMatch(
      /escalate, bind clusterroles\.rbac\.authorization\.k8s\.io, or each permission .* (\d+) of \1 are missing/,
    );
    // It may be there: who may not read it cannot know.
    expect(err).not.toContain('for the examples not found');
    await allow('reader', [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }]);
    const reader = await as('reader', 'install', ...SIMULATION, '--examples', '-n', 'lab');
    expect(reader.err).toContain('namespace "lab" for the examples not found');
    expect(await names()).toEqual([]);
  });

  it('accepts an administrator with all permissions who may not escalate', async () => {
    await allow('holder', [
      {
        apiGroups: ['*'],
        resources: ['*'],
        verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'operate'],
      },
    ]);
    expect(await as('holder', 'install', ...SIMULATION)).toMatchObject({ code: 0, err: '' });
  });

  it('does not change objects of others', async () => {
    const [kubevirts, theirs] = ['kubevirts', 'virtualmachines'].map((plural) => ({
      metadata: { name: `${plural}.kubevirt.io` },
      spec: {
        group: 'kubevirt.io',
        scope: 'Namespaced',
        names: { plural, kind: plural === 'kubevirts' ? 'KubeVirt' : 'VirtualMachine' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    }));
    await admin.create(CUSTOM_RESOURCE_DEFINITIONS, theirs as never);
    const refused = await run('install', '--dialects', 'kubevirt');
    expect(refused.err).toContain('virtualmachines.kubevirt.io belongs to another product: omit kubevirt');
    await admin.create(CUSTOM_RESOURCE_DEFINITIONS, kubevirts as never);
    expect((await run('install', '--dialects', 'kubevirt')).err).toContain('KubeVirt itself is installed');
    const beside = await run('install', '--dialects', 'kubevirt,simulation');
    expect(beside).toMatchObject({ code: 0, err: expect.stringContaining('its CRDs and roles are not changed') });
    expect(beside.out).not.toMatch(/kubevirt\.io(?::\w+)? created/);
    expect((await run('uninstall', '--with-objects')).out).not.toMatch(/\bkubevirt\.io(?::\w+)? deleted/);
    expect(await names()).toEqual(['kubevirts.kubevirt.io', 'virtualmachines.kubevirt.io']);
  });

  it('does not claim a real node, or one that another KWOK manages', async () => {
    await admin.create(NODES, { metadata: { name: 'kwok-node-1' } });
    await admin.create(NODES, { metadata: { name: 'kwok-node-2', labels: { 'vimana.io/runtime': 'simulated' } } });
    const { err } = await run('install', '--nodes', '3');
    expect(err).toContain('the node kwok-node-1 is a real node: choose other names with --node-prefix');
    expect(err).toContain('the node kwok-node-2 belongs to vimana up or vimana node');
    expect((await run('install', '--nodes', '1', '--node-prefix', 'mine-')).code).toBe(0);
    await run('uninstall');
    expect((await admin.list(NODES)).items.map(({ metadata }) => metadata.name)).toEqual([
      'kwok-node-1',
      'kwok-node-2',
    ]);
  });

  it('keeps changes of users to examples', async () => {
    const wish = ['install', ...SIMULATION, '--examples'];
    await run(...wish);
    const machines = resourceTypeFor(simulatedMachine);
    const size = { type: 'merge', body: { spec: { resources: { cpu: '0.5' } } } } as const;
    await admin.patch(machines, 'vm-small-1', size, { namespace: 'default' });
    expect(await run(...wish)).toMatchObject({ code: 0, out: expect.stringContaining('/vm-small-1 unchanged\n') });
    const { spec } = await admin.get(machines, 'vm-small-1', { namespace: 'default' });
    expect(spec.resources.cpu).toBe('0.5');
  });

  it('installs stages for KWOK if it reads them from the cluster', async () => {
    const stage = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await server.define({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'stages.kwok.x-k8s.io' },
      spec: {
        group: 'kwok.x-k8s.io',
        scope: 'Cluster',
        names: { plural: 'stages', kind: 'Stage' },
        versions: [{ name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: stage } }],
      },
    } as never);
    const wish = ['install', ...SIMULATION, '--nodes', '1'];
    expect(await run(...wish)).toMatchObject({ err: '', out: expect.stringContaining('/pod-ready created\n') });
    expect((await run(...wish)).out).toContain('stage.kwok.x-k8s.io/pod-ready unchanged\n');
    expect((await run('uninstall')).out).toContain('stage.kwok.x-k8s.io/pod-ready deleted\n');
  });

  it('overwrites changes of others only on request', async () => {
    await run('install', ...SIMULATION);
    const name = 'vimana-operator';
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    const object = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
    await admin.apply(CLUSTER_ROLES, object, { fieldManager: 'somebody', force: true });
    const refused = await run('install', ...SIMULATION);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(
      /clusterrole\S+\/vimana-operator: .*conflict with "somebody"[^]*--force-conflicts takes over/,
    );
    const forced = await run('install', ...SIMULATION, '--force-conflicts');
    expect(forced.out).toContain('clusterrole.rbac.authorization.k8s.io/vimana-operator configured\n');
  });

  it('keeps kinds with objects, and dependencies of other groups, unless told otherwise', async () => {
    await run('install', '--dialects', 'hypersdk,novacron', '--examples');
    expect(await run('uninstall')).toEqual({
      code: 1,
      out: '',
      err: [
        'error: nothing was changed because',
        '  virtualmachines.hypersdk.io has 1 object',
        '  virtualmachines.novacron.io has 1 object',
        '--with-objects deletes them too, in every namespace.',
        '',
      ].join('\n'),
    });
    // No operator runs here that would let it go.
    for (const type of [hypersdkMachine, novacronMachine].map((kind) => resourceTypeFor(kind))) {
      for (const { metadata } of (await admin.list(type)).items) {
        const { name, namespace } = metadata;
        await admin.patch(type, name, { type: 'merge', body: { metadata: { finalizers: null } } }, { namespace });
      }
    }
    const one = await run('uninstall', '--dialects', 'hypersdk', '--with-objects');
    expect(one).toMatchObject({ code: 0, err: '' });
    expect(one.out).toMatch(/^virtualmachine\.hypersdk\.io\/\S+ deleted\n/);
    expect(one.out).toContain('clusterrole.rbac.authorization.k8s.io/hypersdk.io:edit deleted\n');
    expect(one.out).not.toContain('kubevirt.io');
    expect(await names()).toContain('virtualmachineinstances.kubevirt.io');
    expect((await run('uninstall', '--dialects', 'novacron', '--with-objects')).code).toBe(0);
    expect(await names()).toEqual([]);
    const roles = (await admin.list(CLUSTER_ROLES)).items.map(({ metadata }) => metadata.name ?? '');
    expect(roles.filter((name) => /vimana|kubevirt|hypersdk|novacron/.test(name))).toEqual([]);
    expect((await admin.get(NAMESPACES, 'vimana-system')).status?.phase).toBe('Terminating');
  });

  it('deletes no VM unless an operator can remove its finalizers', async () => {
    await run('install', ...SIMULATION, '--examples');
    const machines = async () => (await admin.list(resourceTypeFor(simulatedMachine))).items;
    const before = (await machines()).map(({ metadata }) => metadata.finalizers);
    const { code, out, err } = await run('uninstall', '--with-objects', '--timeout', '100ms');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(
      '\n  7 objects of virtualmachines.simulation.node-classifier.io would not be deleted: no operator responds that could remove their finalizers',
    );
    expect((await machines()).map(({ metadata }) => metadata.finalizers)).toEqual(before);
    expect((await machines()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
  });

  it('reports who has to remove the finalizers of VMs that are not deleted in time', async () => {
    await run('install', ...SIMULATION, '--examples');
    const type = resourceTypeFor(simulatedMachine);
    await admin.deleteCollection(type, { namespace: 'default' });
    const { code, err } = await run('uninstall', '--with-objects', '--timeout', '100ms');
    expect({ code, err }).toEqual({
      code: 1,
      err: [
        'error: timed out after 100ms: virtualmachines.simulation.node-classifier.io still exist',
        'Check that an operator is running: it removes their finalizers.',
        '',
      ].join('\n'),
    });
    expect(await names()).toContain('virtualmachines.simulation.node-classifier.io');
  });

  it('keeps a namespace that others have created, with its contents', async () => {
    await admin.create(NAMESPACES, { metadata: { name: 'vimana-system' } });
    await admin.create(CONFIG_MAPS, { metadata: { name: 'notes', namespace: 'vimana-system' } });
    expect((await run('install', ...SIMULATION)).code).toBe(0);
    const { code, out } = await run('uninstall');
    expect(code).toBe(0);
    expect(out).toContain('namespace/vimana-system kept: vimana install did not create it\n');
    expect((await admin.get(NAMESPACES, 'vimana-system')).status?.phase).toBe('Active');
    expect(await admin.get(CONFIG_MAPS, 'notes', { namespace: 'vimana-system' })).toBeDefined();
    expect(await names()).toEqual([]);
  });

  it.each<[string, ResourceType, object]>([
    ['secret/mine', resourceType('v1', 'Secret', 'secrets'), {}],
    ['configmap/mine', CONFIG_MAPS, {}],
    [
      'persistentvolumeclaim/mine',
      PERSISTENT_VOLUME_CLAIMS,
      { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    ],
    [
      'statefulset.apps/mine',
      STATEFUL_SETS,
      {
        spec: {
          replicas: 0,
          serviceName: 'mine',
          selector: { matchLabels: { app: 'mine' } },
          template: {
            metadata: { labels: { app: 'mine' } },
            spec: { containers: [{ name: 'mine', image: 'mine' }] },
          },
        },
      },
    ],
  ])('keeps its namespace while it contains %s', async (name, type, content) => {
    await run('install', ...SIMULATION);
    const metadata = { name: 'mine', namespace: 'vimana-system' };
    await admin.create(type, { metadata, ...content });
    const kept = `namespace/vimana-system kept: it contains ${name}\n`;
    expect((await run('uninstall', '--dry-run')).out).toContain(kept);
    expect(await run('uninstall')).toMatchObject({ code: 0, out: expect.stringContaining(kept) });
    expect((await admin.get(NAMESPACES, 'vimana-system')).status?.phase).toBe('Active');
    await admin.delete(type, 'mine', { namespace: 'vimana-system' });
    // Nothing here takes off what protects a claim.
    const free = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
    await ignoreNotFound(admin.patch(type, 'mine', free, { namespace: 'vimana-system' }));
    expect((await run('uninstall')).out).toBe('namespace/vimana-system deleted\n');
  });

  it('keeps the namespace if it may not read its contents', async () => {
    await allow('half', [
      { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'watch', 'delete'] },
      { apiGroups: ['apiextensions.k8s.io', 'coordination.k8s.io', 'apps'], resources: ['*'], verbs: ['list'] },
      { apiGroups: [...Object.values(GROUPS), 'kwok.x-k8s.io'], resources: ['*'], verbs: ['list'] },
      { apiGroups: [''], resources: ['nodes', 'serviceaccounts'], verbs: ['list'] },
    ]);
    await run('install', ...SIMULATION);
    const { code, out, err } = await as('half', 'uninstall');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/\nnamespace\/vimana-system kept: it contains possibly .* and \d+ more\n/);
    expect((await admin.get(NAMESPACES, 'vimana-system')).status?.phase).toBe('Active');
  });

  it('leaves what Helm installed, and its dependencies, to Helm', async () => {
    await run('install', '--dialects', 'simulation,novacron');
    const annotations = { 'meta.helm.sh/release-name': 'fleet', 'meta.helm.sh/release-namespace': 'fleet-system' };
    const theirs = 'virtualmachines.simulation.node-classifier.io';
    const body = { metadata: { annotations, labels: { 'app.kubernetes.io/managed-by': 'Helm' } } };
    await admin.patch(CUSTOM_RESOURCE_DEFINITIONS, theirs, { type: 'merge', body });
    const { code, out } = await run('uninstall');
    expect(code).toBe(0);
    expect(out).toContain('1 CRDs kept: delete them with helm uninstall fleet -n fleet-system\n');
    expect(out).toContain('/virtualmachines.novacron.io deleted\n');
    expect(await names()).toEqual([
      'virtualmachineinstancemigrations.kubevirt.io',
      'virtualmachineinstances.kubevirt.io',
      theirs,
    ]);
  });

  it.each([
    ['elsewhere', 'vimana-operator', undefined],
    ['fleet-system', 'fleet', { 'app.kubernetes.io/name': 'vimana' }],
  ])('deletes nothing of an active operator in %s as %s', async (namespace, name, labels) => {
    await run('install', ...SIMULATION);
    await admin.create(NAMESPACES, { metadata: { name: namespace } });
    if (labels !== undefined) await admin.create(SERVICE_ACCOUNTS, { metadata: { name, namespace, labels } });
    const renewTime = microTimestamp(realClock.now());
    const spec = { holderIdentity: 'fleet-7d4_1', leaseDurationSeconds: 600, renewTime };
    const lease = await admin.create(LEASES, { metadata: { name, namespace }, spec });
    await admin.create(LEASES, { metadata: { name: 'other', namespace }, spec: { ...spec, holderIdentity: 'other' } });
    for (const args of [[], ['--with-objects']]) {
      expect(await run('uninstall', ...args)).toEqual({
        code: 1,
        out: '',
        err: `error: nothing was changed because\n  the operator fleet-7d4 manages these kinds (it holds the lease ${namespace}/${name}): stop it first\n`,
      });
    }
    await admin.update(LEASES, { ...lease, spec: { ...spec, holderIdentity: '' } });
    expect((await run('uninstall')).code).toBe(0);
  });

  it.each([
    [['install', '--examples', '--no-wait'], '--examples cannot be used with --no-wait'],
    [['install', '--zones', '3'], '--zones need --nodes'],
    [['install', '--dialects', 'xen'], 'xen is not one of kubevirt'],
  ])('rejects invalid input: %j', async (args, why) => {
    expect(await run(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(why) });
  });
});
