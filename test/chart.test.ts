import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { KINDS } from '#api/kinds';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
} from '#platform/kube/kinds/custom-resource-definition';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { writeKubeconfig } from '#platform/kube/kubeconfig/format-kubeconfig';
import type { Embedded } from '#programs/up/embedded';
import { startInMemory } from '#testing/embedded-in-memory';
import { reportSkipped } from '#testing/programs';
import { OWN_NODE_POLICY } from '#vm/node/own-node-policy';
import { operatorManifests } from '../tools/generate/operator-manifests.ts';
import { findAsset } from './cluster/assets.ts';

const CHART = 'deploy/helm/vimana';
const KUBERNETES = ['--kube-version', '1.36.3'];
const helm = findAsset('helm');
if (helm === undefined) reportSkipped('the tests of the chart, which need helm (in KUBE_ASSETS or PATH)');

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

function run(...args: string[]) {
  return spawnSync(helm ?? 'helm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

function rendered(release: string, namespace: string, ...set: string[]): Manifest[] {
  const flags = set.flatMap((value) => ['--set', value]);
  const { status, stdout, stderr } = run('template', release, CHART, '-n', namespace, ...KUBERNETES, ...flags);
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split(/^---$/m).flatMap((text) => parsed(text) ?? []);
}

/** Most documents, above all the CRDs, are the same in every rendering, and parsing them takes most of the time. */
const documents = new Map<string, Manifest | null>();

function parsed(text: string): Manifest | null {
  const known = documents.get(text);
  if (known !== undefined) return known;
  const document = parse(text) as Manifest | null;
  documents.set(text, document);
  return document;
}

const named = (manifests: readonly Manifest[], kind: string) =>
  manifests.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);

describe.skipIf(helm === undefined)('the chart', () => {
  it('passes the linter of Helm', () => {
    const { status, stdout } = run('lint', CHART, '--strict', ...KUBERNETES);
    expect([status, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  it('is the source of deploy/operator', () => {
    const { path, text } = operatorManifests(helm ?? 'helm');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each([
    ['hypersdk-operator', 'hypersdk-system'],
    ['novacron-operator', 'novacron-system'],
  ])('names everything after the release %s', (release, namespace) => {
    const manifests = rendered(release, namespace, 'crds.install=false');
    expect(named(manifests, 'Deployment')).toEqual([release]);
    expect(named(manifests, 'ServiceAccount')).toContain(release);
    expect(named(manifests, 'ClusterRole')).toContain(release);
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    const text = JSON.stringify(deployment);
    expect(text).toContain(`--leader-election-id=${release}`);
    expect(deployment?.metadata.namespace).toBe(namespace);
    expect(JSON.stringify(manifests)).not.toContain('RELEASE-NAME');
  });

  it('runs as nobody, on a read-only file system, with the documented resources', () => {
    const deployment = rendered('a', 'b', 'crds.install=false').find(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({
      spec: {
        replicas: 3,
        template: {
          spec: {
            securityContext: { runAsNonRoot: true },
            containers: [
              {
                command: ['/manager'],
                securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
                resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '512Mi' } },
              },
            ],
          },
        },
      },
    });
  });

  it('has a role for every component, and grants no permissions to components that do not run', () => {
    const roles = (...set: string[]) => {
      const manifests = rendered('a', 'b', 'crds.install=false', ...set);
      const subjects = manifests
        .filter(({ kind }) => kind.endsWith('RoleBinding'))
        .flatMap((each) => each['subjects'] as { readonly name: string }[]);
      return {
        roles: named(manifests, 'ClusterRole').filter((name) => name.startsWith('a')),
        accounts: named(manifests, 'ServiceAccount'),
        subjects: [...new Set(subjects.map(({ name }) => name))],
        rules: manifests.find(({ metadata }) => metadata.name === 'a-dashboard')?.['rules'] as PolicyRule[],
      };
    };
    const usual = roles();
    expect(usual.roles).toEqual(expect.arrayContaining(['a', 'a-node', 'a-dashboard']));
    expect([usual.accounts, usual.subjects]).toEqual([['a'], ['a']]);
    const asked = roles('rbac.nodeAgent=true');
    const agents = rendered('a', 'n', 'rbac.nodeAgent=true').filter(({ metadata }) => metadata.name === 'a-node');
    expect(agents.map(({ kind }) => kind).toSorted()).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'ServiceAccount',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ]);
    const policy = agents.find(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    expect(policy?.['spec']).toEqual({
      matchConditions: [
        { name: 'is-agent', expression: "request.userInfo.username == 'system:serviceaccount:n:a-node'" },
      ],
      ...OWN_NODE_POLICY,
    });
    expect([asked.accounts.toSorted(), asked.subjects.toSorted()]).toEqual([
      ['a', 'a-node'],
      ['a', 'a-node'],
    ]);
    expect(new Set(usual.rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list', 'watch']));
    const groups = (rules: readonly PolicyRule[]) => new Set(rules.flatMap(({ apiGroups = [] }) => apiGroups));
    expect(groups(usual.rules)).toEqual(new Set(['', ...KINDS.map(({ group }) => group)]));
    const fewer = roles('dialects.hypersdk=false', 'dialects.novacron=false').rules;
    expect(groups(fewer)).toEqual(new Set(['', 'kubevirt.io', 'simulation.node-classifier.io']));
  });

  it('omits what is disabled, so that two releases can coexist', () => {
    const first = rendered('a', 'x', 'dialects.hypersdk=false', 'dialects.novacron=false', 'dialects.simulation=false');
    const second = rendered('b', 'y', 'dialects.kubevirt=false', 'instances=false', 'crds.install=false');
    const names = (manifests: readonly Manifest[]) =>
      manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''} ${metadata.name}`);
    expect(names(first).filter((name) => names(second).includes(name))).toEqual([]);
    expect(named(first, 'CustomResourceDefinition').every((name) => name.endsWith('.kubevirt.io'))).toBe(true);
    expect(named(second, 'APIService')).toEqual([]);
    expect(JSON.stringify(second)).toContain('--no-instances');
  });

  it('serves custom metrics only on request', () => {
    const served = (...set: string[]) => {
      const text = JSON.stringify(rendered('a', 'x', 'crds.install=false', ...set));
      return [text.includes('--custom-metrics'), text.includes('v1beta1.custom.metrics.k8s.io')];
    };
    expect(served()).toEqual([false, false]);
    expect(served('customMetrics=true')).toEqual([true, true]);
    expect(served('customMetrics=true', 'webhook.enabled=false')).toEqual([false, false]);
  });

  it('registers no API group if that could block the deletion of namespaces', () => {
    const manifests = rendered('a', 'x', 'crds.install=false', 'subresources=false');
    expect(named(manifests, 'APIService')).toEqual([]);
    const text = JSON.stringify(manifests);
    expect(text).toContain('--no-subresources');
    expect(text).not.toContain('apiregistration.k8s.io');
    expect(text).not.toContain('auth-reader');
    expect(named(rendered('a', 'x', 'crds.install=false'), 'APIService')).toHaveLength(2);
  });

  it("installs the exporter only on request, and outside of the operator's selectors", () => {
    const text = JSON.stringify(rendered('a', 'x', 'crds.install=false'));
    expect(text).not.toContain('a-exporter');
    const manifests = rendered('a', 'x', 'crds.install=false', 'exporter.enabled=true');
    const exporter = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'a-exporter');
    expect(exporter).toMatchObject({
      spec: { replicas: 1, template: { metadata: { labels: { app: 'a-exporter' } } } },
    });
    expect(JSON.stringify(exporter)).not.toMatch(/"app":"a"/);
  });

  it('never lets a webhook block a deletion', () => {
    const manifests = rendered('a', 'b', 'crds.install=false');
    const hooks = manifests
      .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
      .flatMap(({ webhooks }) => webhooks as Record<string, unknown>[]);
    expect(hooks).toHaveLength(4);
    for (const hook of hooks) {
      expect(JSON.stringify(hook['rules'])).not.toMatch(/DELETE|\*/);
      const isClosed = hook['failurePolicy'] === 'Fail';
      expect(isClosed).toBe(!['evictions.vimana.io', 'scales.vimana.io'].includes(hook['name'] as string));
      if (isClosed) expect(JSON.stringify(hook['matchConditions'])).toContain('deletionTimestamp');
    }
  });

  it.each([
    ['replicas=-1', 'replicas'],
    ['dialects.xen=true', 'xen'],
    ['logLevel=loud', 'logLevel'],
    ['webhook.port=0', 'port'],
    ['exporter.referenceNode=32', 'referenceNode'],
    ['fullnameOverride=Web', 'fullnameOverride'],
    ['fullnameOverride=a.b', 'fullnameOverride'],
    ['fullnameOverride=1st', 'fullnameOverride'],
    ['nameOverride=web', 'nameOverride'],
    ['nodeLostAfter=10s', 'nodeLostAfter=10s must be at least 35s'],
    ['nodeLostAfter=0.5m4s999ms', 'must be at least 35s'],
    ['metrics.port=8081', 'metrics.port, health.port use the same port 8081'],
    ['carbon.provider=sun', 'provider'],
    ['carbon.provider=electricity-maps', 'needs carbon.tokenSecret.name'],
    ['carbon.provider=static', 'needs carbon.table'],
    ['carbon.zone=germany', 'zone'],
    ['health.port=9443', 'health.port, webhook.port use the same port 9443'],
  ])('rejects the value %s', (value, name) => {
    const { status, stderr } = run('template', 'a', CHART, ...KUBERNETES, '--set', value);
    expect(status).not.toBe(0);
    expect(stderr).toContain(name);
  });

  it('reports everything that cannot run at once', () => {
    const values = 'metrics.port=9443,health.port=9443,nodeLostAfter=1s';
    const { stderr } = run('template', '1st', CHART, ...KUBERNETES, '--set', values);
    expect(stderr).toContain('1st is not a valid name of a Service');
    expect(stderr).toContain('nodeLostAfter=1s must be at least 35s');
    expect(stderr).toContain('metrics.port, health.port, webhook.port use the same port 9443');
  });

  it.each([
    'nodeLostAfter=35s',
    'nodeLostAfter=0.5m5s',
    'nodeLostAfter=1h',
    'fullnameOverride=web-1',
    'webhook.enabled=false,webhook.port=8080',
  ])('accepts the value %s', (value) => {
    expect(rendered('a', 'b', 'crds.install=false', value)).not.toEqual([]);
  });

  it('configures carbon awareness of the operator, and the token only by a Secret', () => {
    const set = [
      'carbon.provider=electricity-maps',
      'carbon.tokenSecret.name=grid',
      'carbon.zone=DE',
      'carbon.zoneMap.eu-north-1=SE-SE3',
      'carbon.zoneMap.eu-west-1=IE',
      'carbon.refresh=30m',
      'carbon.withoutData=wait',
    ];
    const deployment = rendered('a', 'b', 'crds.install=false', ...set).find(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                args: expect.arrayContaining([
                  '--carbon-provider=electricity-maps',
                  '--carbon-zone=DE',
                  '--carbon-zone-map=eu-north-1=SE-SE3,eu-west-1=IE',
                  '--carbon-refresh=30m',
                  '--carbon-without-data=wait',
                ]),
                env: expect.arrayContaining([
                  { name: 'VIMANA_CARBON_TOKEN', valueFrom: { secretKeyRef: { name: 'grid', key: 'token' } } },
                ]),
              },
            ],
          },
        },
      },
    });
    const table = rendered(
      'a',
      'b',
      'crds.install=false',
      'carbon.provider=static',
      'carbon.table.DE=380.5',
      'carbon.table.FR=56',
    );
    expect(JSON.stringify(table)).toContain('--carbon-table=DE=380.5,FR=56');
    expect(JSON.stringify(table)).not.toContain('vimana-carbon');
    const roles = rendered('a', 'b', 'crds.install=false', 'carbon.provider=config-map').filter(
      ({ kind, metadata }) => kind === 'Role' && metadata.name === 'a',
    );
    expect(roles).toMatchObject([
      {
        metadata: { namespace: 'b' },
        rules: expect.arrayContaining([
          { apiGroups: [''], resources: ['configmaps'], resourceNames: ['vimana-carbon'], verbs: ['list', 'watch'] },
        ]),
      },
    ]);
    expect(JSON.stringify(rendered('a', 'b', 'crds.install=false'))).not.toContain('--carbon');
  });

  it.each([
    [[], 'kubevirt.io'],
    [['dialects.kubevirt=false'], 'hypersdk.io'],
    [
      ['dialects.kubevirt=false', 'dialects.hypersdk=false', 'dialects.novacron=false'],
      'simulation.node-classifier.io',
    ],
    [['vmShortName=novacron.io'], 'novacron.io'],
  ])('with %j, vm means %s', (set, group) => {
    const names = rendered('a', 'b', ...set).flatMap(({ spec }) => {
      const { group: of, names } = (spec ?? {}) as CustomResourceDefinition['spec'];
      return names?.shortNames?.some((name) => name === 'vm' || name === 'vms') === true ? [of] : [];
    });
    expect(names).toEqual([group]);
  });

  it('rejects a short name for a group that is off', () => {
    const { status, stderr } = run(
      'template',
      'a',
      CHART,
      ...KUBERNETES,
      '--set',
      'vmShortName=hypersdk.io,dialects.hypersdk=false',
    );
    expect([status, stderr]).toEqual([1, expect.stringContaining('vmShortName=hypersdk.io is not a group')]);
  });

  it('renders every optional part', () => {
    const on = ['serviceMonitor', 'prometheusRule', 'grafanaDashboard'].map((name) => `metrics.${name}.enabled=true`);
    const manifests = rendered(
      'a',
      'b',
      'crds.install=false',
      'networkPolicy.enabled=true',
      'webhook.certManager.enabled=true',
      'exporter.enabled=true',
      'exporter.serviceMonitor.enabled=true',
      ...on,
    );
    const kinds = manifests.map(({ kind }) => kind);
    for (const kind of ['ServiceMonitor', 'PrometheusRule', 'ConfigMap', 'NetworkPolicy', 'Certificate', 'Issuer']) {
      expect(kinds).toContain(kind);
    }
    expect(kinds).not.toContain('Secret');
    expect(named(manifests, 'NetworkPolicy').sort()).toEqual(['a', 'a-exporter']);
    expect(named(manifests, 'ServiceMonitor').sort()).toEqual(['a', 'a-exporter']);
    const dashboard = manifests.find(({ kind }) => kind === 'ConfigMap')?.['data'] as Record<string, string>;
    expect(JSON.parse(dashboard['vimana.json'] ?? '')).toMatchObject({ title: 'Vimana' });
  });
});

describe.skipIf(helm === undefined)('the notes of a release', () => {
  let embedded: Embedded;
  let folder: string;

  beforeAll(async () => {
    embedded = await startInMemory({ dialects: ['kubevirt', 'hypersdk'], pools: [] });
    folder = mkdtempSync(join(tmpdir(), 'vimana-chart-'));
    const { pki, url: server } = embedded.plane;
    const { certPem: clientCert, keyPem: clientKey } = pki.admin;
    writeKubeconfig(join(folder, 'kubeconfig'), { name: 'x', server, caPem: pki.caPem, clientCert, clientKey });
  });
  afterAll(async () => {
    await embedded?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const owned = (name: string, metadata: object) =>
    embedded.admin.patch(CUSTOM_RESOURCE_DEFINITIONS, name, { type: 'merge', body: { metadata } });
  const of = (release: string) => ({
    annotations: { 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': 'x' },
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  });
  const notes = async (...set: string[]) => {
    // What `vimana up` has of roles and registrations is the operator's own, and in nobody's way here.
    const flags = [
      '--dry-run=server',
      '--take-ownership',
      '--kubeconfig',
      join(folder, 'kubeconfig'),
      '-n',
      'x',
      '--set',
      set.join(','),
    ];
    const { stdout } = await promisify(execFile)(helm ?? 'helm', ['install', 'a', CHART, ...flags], {
      env: { ...process.env, HOME: folder },
      maxBuffer: 64 * 1024 * 1024,
    });
    const [manifests = '', told = ''] = stdout.split('\nNOTES:\n');
    const written = [...manifests.matchAll(/^kind: CustomResourceDefinition\nmetadata:\n {2}name: (.*)$/gm)];
    return { told, written: written.map(([, name]) => name) };
  };

  it('name the CRDs that were not changed, their owners, and how to update them', async () => {
    await owned('virtualmachines.hypersdk.io', of('a'));
    await owned('vmtemplates.hypersdk.io', of('b'));
    await owned('virtualmachines.kubevirt.io', { labels: { 'app.kubernetes.io/managed-by': 'virt-operator' } });
    const { told, written } = await notes('dialects.novacron=false', 'dialects.simulation=false');
    expect(written).toEqual(['virtualmachines.hypersdk.io']);
    expect(told).toContain('belong to release b in namespace x, which updates them');
    expect(told).toContain('belong to virt-operator');
    const [, command = ''] = /(kubectl apply --server-side(?:.*\\\n)*.*)\n/.exec(told) ?? [];
    const files = [...command.matchAll(/-f (\S+)/g)].map(([, file = '']) => file);
    const left = files.map((file) => (parse(readFileSync(file, 'utf8')) as Manifest).metadata.name);
    expect(left.toSorted()).toEqual([
      'virtualmachineinstancemigrations.kubevirt.io',
      'virtualmachineinstances.kubevirt.io',
      'vmoperations.hypersdk.io',
      'vmsnapshots.hypersdk.io',
    ]);
    for (const name of left) expect(told).toContain(`\n  ${name}\n`);
  });

  it('do not mention CRDs if all are its own, or none is installed', async () => {
    expect((await notes('crds.install=false')).told).not.toContain('were not changed');
    for (const { metadata } of (await embedded.admin.list(CUSTOM_RESOURCE_DEFINITIONS)).items)
      await owned(metadata.name ?? '', of('a'));
    expect((await notes('dialects.kubevirt=true')).told).not.toContain('were not changed');
  });

  it('mention VMs of the enabled groups', async () => {
    const all = (await notes('crds.install=false')).told;
    expect(all).toContain('kubectl get vm -A');
    expect(all).toContain('kubectl get virtualmachines.hypersdk.io -A');
    // The group that has the short name in the cluster keeps it.
    expect((await notes('dialects.kubevirt=false')).told).toContain('kubectl get virtualmachines.hypersdk.io -A');
    const { told } = await notes('dialects.kubevirt=false', 'dialects.hypersdk=false', 'instances=false');
    const groups = [...told.matchAll(/kubectl get virtualmachines\.(\S+) -A/g)].map(([, group]) => group);
    expect(groups).toEqual(['novacron.io', 'simulation.node-classifier.io']);
  });
});

it('the chart has the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(parse(readFileSync(`${CHART}/Chart.yaml`, 'utf8'))).toMatchObject({ version, appVersion: version });
});
