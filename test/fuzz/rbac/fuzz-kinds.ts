/** A kind that the fuzzer sends requests about. */
export interface FuzzKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Whether a PUT creates a missing object. */
  readonly createOnUpdate: boolean;
  readonly custom: boolean;
  readonly subresources: readonly string[];
  /** Content of a valid object besides its metadata. `value` differs between writes. */
  readonly content: (namespace: string, value: string) => object;
}

type Options = Partial<Pick<FuzzKind, 'namespaced' | 'createOnUpdate' | 'subresources' | 'content'>>;

function kindOf(apiVersion: string, kind: string, plural: string, options: Options = {}): FuzzKind {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const { namespaced = true, createOnUpdate = false, subresources = [], content = () => ({}) } = options;
  const custom = CUSTOM_GROUPS.includes(group);
  return { group, version, plural, kind, namespaced, createOnUpdate, custom, subresources, content };
}

export const CUSTOM_GROUPS = ['kubevirt.io', 'hypersdk.io', 'novacron.io', 'simulation.node-classifier.io'];
export const RBAC_GROUP = 'rbac.authorization.k8s.io';

const POD_SPEC = { containers: [{ name: 'c', image: 'example.com/i' }] };
const DEPLOYMENT_SPEC = {
  replicas: 0,
  selector: { matchLabels: { app: 'a' } },
  template: { metadata: { labels: { app: 'a' } }, spec: POD_SPEC },
};
const MACHINE_SPEC = { running: false, template: { spec: { domain: { memory: { guest: '64Mi' }, devices: {} } } } };
const NOVACRON_MACHINE = { resources: { cpu: 1, memory: '512Mi' }, image: { source: 'marketplace://alpine-3.20' } };

/** Kinds whose objects users create, change and delete. */
export const KINDS: readonly FuzzKind[] = [
  kindOf('v1', 'ConfigMap', 'configmaps', { content: (_namespace, value) => ({ data: { value } }) }),
  kindOf('v1', 'Secret', 'secrets', { content: (_namespace, value) => ({ stringData: { value } }) }),
  kindOf('v1', 'Pod', 'pods', {
    subresources: ['status', 'log', 'eviction', 'binding', 'exec', 'proxy', 'ephemeralcontainers', 'resize'],
    content: () => ({ spec: POD_SPEC }),
  }),
  kindOf('v1', 'Service', 'services', {
    createOnUpdate: true,
    subresources: ['status', 'proxy'],
    content: () => ({ spec: { ports: [{ port: 80 }] } }),
  }),
  kindOf('v1', 'ServiceAccount', 'serviceaccounts', { subresources: ['token'] }),
  kindOf('v1', 'Endpoints', 'endpoints', { createOnUpdate: true }),
  kindOf('v1', 'Event', 'events', {
    createOnUpdate: true,
    content: (namespace, value) => ({ involvedObject: { kind: 'Pod', namespace, name: 'p' }, message: value }),
  }),
  kindOf('coordination.k8s.io/v1', 'Lease', 'leases', {
    createOnUpdate: true,
    content: (_namespace, value) => ({ spec: { holderIdentity: value } }),
  }),
  kindOf('apps/v1', 'Deployment', 'deployments', {
    subresources: ['status', 'scale'],
    content: () => ({ spec: DEPLOYMENT_SPEC }),
  }),
  kindOf('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', {
    content: () => ({ spec: { podSelector: {} } }),
  }),
  kindOf('kubevirt.io/v1', 'VirtualMachine', 'virtualmachines', {
    subresources: ['status'],
    content: () => ({ spec: MACHINE_SPEC }),
  }),
  kindOf('hypersdk.io/v1alpha1', 'VirtualMachine', 'virtualmachines', {
    subresources: ['status'],
    content: () => ({ spec: { cpus: 2, memory: '4Gi', running: false, image: { templateRef: { name: 't' } } } }),
  }),
  kindOf('novacron.io/v1alpha1', 'VirtualMachine', 'virtualmachines', {
    subresources: ['status'],
    content: () => ({ spec: { template: { spec: NOVACRON_MACHINE } } }),
  }),
  kindOf('novacron.io/v1alpha1', 'VMPool', 'vmpools', {
    subresources: ['status', 'scale'],
    content: () => ({
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: NOVACRON_MACHINE },
      },
    }),
  }),
  kindOf('simulation.node-classifier.io/v1alpha1', 'SimulationScenario', 'simulationscenarios', {
    subresources: ['status'],
    content: () => ({
      spec: {
        duration: '10m',
        vmPools: [{ name: 'web', count: 4, resources: { cpu: '0.05', memory: '0.08' } }],
        timeline: [{ at: '5m', action: 'scale', pool: 'web', count: 8 }],
      },
    }),
  }),
];

export const ROLES = kindOf(`${RBAC_GROUP}/v1`, 'Role', 'roles', { createOnUpdate: true });
export const ROLE_BINDINGS = kindOf(`${RBAC_GROUP}/v1`, 'RoleBinding', 'rolebindings', { createOnUpdate: true });
export const CLUSTER_ROLES = kindOf(`${RBAC_GROUP}/v1`, 'ClusterRole', 'clusterroles', {
  createOnUpdate: true,
  namespaced: false,
});
export const CLUSTER_ROLE_BINDINGS = kindOf(`${RBAC_GROUP}/v1`, 'ClusterRoleBinding', 'clusterrolebindings', {
  createOnUpdate: true,
  namespaced: false,
});
export const CERTIFICATE_REQUESTS = kindOf(
  'certificates.k8s.io/v1',
  'CertificateSigningRequest',
  'certificatesigningrequests',
  { namespaced: false, subresources: ['status', 'approval'] },
);

/** Cluster-scoped kinds that hardly any user of the fuzzer may access. */
const DISTANT_KINDS: readonly FuzzKind[] = [
  kindOf('v1', 'Namespace', 'namespaces', { namespaced: false, subresources: ['status', 'finalize'] }),
  kindOf('v1', 'Node', 'nodes', { namespaced: false, subresources: ['status', 'proxy'] }),
  kindOf('storage.k8s.io/v1', 'StorageClass', 'storageclasses', {
    namespaced: false,
    content: () => ({ provisioner: 'example.com/p' }),
  }),
  kindOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', {
    namespaced: false,
    subresources: ['status'],
  }),
  kindOf('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', {
    namespaced: false,
  }),
];

export const RBAC_KINDS = [ROLES, ROLE_BINDINGS, CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS];
export const ALL_KINDS = [...KINDS, ...RBAC_KINDS, CERTIFICATE_REQUESTS, ...DISTANT_KINDS];

export function apiVersionOf({ group, version }: FuzzKind): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Path of a collection. An empty namespace means all namespaces. */
export function collectionPath(kind: FuzzKind, namespace: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  return kind.namespaced && namespace !== ''
    ? `${root}/namespaces/${namespace}/${kind.plural}`
    : `${root}/${kind.plural}`;
}

/** Key of an object in the store. */
export function objectKey(kind: Pick<FuzzKind, 'group' | 'plural'>, namespace: string, name: string): string {
  return `${kind.plural}.${kind.group}|${namespace}|${name}`;
}
