/** A valid object of some kind, from which broken ones are derived. */
export interface Seed {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly body: Readonly<Record<string, unknown>> & { readonly metadata: { readonly name: string } };
  /** Only written as a dry run, because storing one changes the responses to other writes. */
  readonly dry?: true;
  /** Has a subresource that accepts a body. */
  readonly subresources?: readonly string[];
}

const labels = { app: 'fuzz' };
const podSpec = {
  containers: [
    {
      name: 'c',
      image: 'registry/image:1',
      command: ['run'],
      env: [
        { name: 'A', value: '1' },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'x', key: 'y' } } },
      ],
      ports: [{ containerPort: 80, name: 'web', protocol: 'TCP' }],
      resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
      readinessProbe: { httpGet: { path: '/', port: 'web' }, periodSeconds: 5 },
      securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
    },
  ],
  volumes: [
    { name: 'v', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'w', configMap: { name: 'x' } },
  ],
  tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'z', operator: 'In', values: ['a'] }] }],
      },
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: labels } },
  ],
};
const template = { metadata: { labels }, spec: podSpec };
const selector = { matchLabels: labels };

function seed(apiVersion: string, kind: string, plural: string, rest: object, more: Partial<Seed> = {}): Seed {
  const metadata = { name: `${kind.toLowerCase()}-seed`, labels, annotations: { note: 'x' } };
  return { apiVersion, plural, namespaced: true, body: { apiVersion, kind, metadata, ...rest }, ...more };
}

/** The subject is arbitrary, and the key was never stored. */
const CERTIFICATE_REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QmVEQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCRnk4bHlTUWZYTEZUMkJtakN0L3ViM2w0SXY3bXY5ZU8wQ3FXQ1hqT0xLNzUzcm9qT29Ld0pnOE5vRm91ZWRVClpYUFp2SW5DYTh3S2pMNGw0Sk03U2E2Z0FEQUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpRUEyTThVcVhra2VRaVQKb1llOUJ0ODk2RHdVcTNPZUpjeEJDZ2t6cnVGTENFNENJQUQrM21yT1dVWDcvay9HdnZsL2FDRWhDYTFaTjV6TwpFWFFSODVVSkNGYVYKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';

const wide = { namespaced: false } as const;
const status = { subresources: ['status'] } as const;
const scale = { subresources: ['status', 'scale'] } as const;

/**
 * Seeds of all kinds for one namespace. `group` is that of the custom resources, so that each batch can have its own.
 */
export function seedsOf(namespace: string, group: string): Seed[] {
  return [
    seed('v1', 'ConfigMap', 'configmaps', { data: { a: '1' }, binaryData: { b: 'AAEC' } }),
    seed('v1', 'Secret', 'secrets', { type: 'Opaque', data: { a: 'AAEC' }, stringData: { s: 't' } }),
    seed(
      'v1',
      'Pod',
      'pods',
      { spec: podSpec },
      { subresources: ['status', 'binding', 'eviction', 'ephemeralcontainers', 'resize', 'log', 'exec', 'proxy'] },
    ),
    seed(
      'v1',
      'Service',
      'services',
      { spec: { selector: labels, ports: [{ name: 'p', port: 80, targetPort: 'web' }] } },
      { subresources: ['status', 'proxy'] },
    ),
    seed('v1', 'ServiceAccount', 'serviceaccounts', {}, { subresources: ['token'] }),
    seed(
      'v1',
      'PersistentVolumeClaim',
      'persistentvolumeclaims',
      { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      status,
    ),
    seed(
      'v1',
      'PersistentVolume',
      'persistentvolumes',
      { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } },
      { ...wide, ...status },
    ),
    seed(
      'v1',
      'Node',
      'nodes',
      { spec: { podCIDR: '10.0.0.0/24', taints: [{ key: 'k', effect: 'NoSchedule' }] } },
      { ...wide, ...status },
    ),
    seed('v1', 'ResourceQuota', 'resourcequotas', { spec: { hard: { 'count/jobs.batch': '1000' } } }, status),
    seed(
      'v1',
      'LimitRange',
      'limitranges',
      { spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Ti' } }] } },
      { dry: true },
    ),
    seed('v1', 'Event', 'events', {
      involvedObject: { kind: 'Pod', name: 'p', namespace },
      reason: 'R',
      message: 'm',
      type: 'Normal',
    }),
    seed('v1', 'Endpoints', 'endpoints', { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] }),
    seed(
      'v1',
      'ReplicationController',
      'replicationcontrollers',
      { spec: { replicas: 1, selector: labels, template } },
      scale,
    ),
    seed(
      'apps/v1',
      'Deployment',
      'deployments',
      { spec: { replicas: 2, selector, template, strategy: { rollingUpdate: { maxSurge: '25%' } } } },
      scale,
    ),
    seed('apps/v1', 'StatefulSet', 'statefulsets', { spec: { serviceName: 's', selector, template } }, scale),
    seed('apps/v1', 'DaemonSet', 'daemonsets', { spec: { selector, template } }, status),
    seed('batch/v1', 'Job', 'jobs', { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } }, status),
    seed(
      'batch/v1',
      'CronJob',
      'cronjobs',
      {
        spec: {
          schedule: '*/5 * * * *',
          timeZone: 'Etc/UTC',
          jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
        },
      },
      status,
    ),
    seed(
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      'horizontalpodautoscalers',
      {
        spec: {
          maxReplicas: 5,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          ],
        },
      },
      status,
    ),
    seed('autoscaling/v1', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
      spec: {
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        targetCPUUtilizationPercentage: 5,
      },
    }),
    seed(
      'networking.k8s.io/v1',
      'Ingress',
      'ingresses',
      {
        spec: {
          rules: [
            {
              host: 'a.b',
              http: {
                paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
              },
            },
          ],
        },
      },
      status,
    ),
    seed('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', {
      spec: {
        podSelector: {},
        ingress: [
          { from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }], ports: [{ port: 80, endPort: 90 }] },
        ],
      },
    }),
    seed(
      'policy/v1',
      'PodDisruptionBudget',
      'poddisruptionbudgets',
      { spec: { minAvailable: '50%', selector } },
      status,
    ),
    seed('coordination.k8s.io/v1', 'Lease', 'leases', {
      spec: { holderIdentity: 'me', leaseDurationSeconds: 5, renewTime: '2026-01-01T00:00:00.000000Z' },
    }),
    seed('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices', {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'] }],
      ports: [{ port: 80 }],
    }),
    seed('rbac.authorization.k8s.io/v1', 'Role', 'roles', {
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    }),
    seed('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', name: 's', namespace: 'n' }],
    }),
    seed(
      'rbac.authorization.k8s.io/v1',
      'ClusterRole',
      'clusterroles',
      { aggregationRule: { clusterRoleSelectors: [selector] } },
      wide,
    ),
    seed('storage.k8s.io/v1', 'StorageClass', 'storageclasses', { provisioner: 'x.y/z', parameters: { a: 'b' } }, wide),
    seed('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', { value: 5 }, { ...wide, dry: true }),
    seed(
      'node.k8s.io/v1',
      'RuntimeClass',
      'runtimeclasses',
      { handler: 'h', overhead: { podFixed: { cpu: '1m' } } },
      wide,
    ),
    seed(
      'certificates.k8s.io/v1',
      'CertificateSigningRequest',
      'certificatesigningrequests',
      { spec: { request: CERTIFICATE_REQUEST, signerName: 'x.y/z', usages: ['client auth'] } },
      { ...wide, subresources: ['status', 'approval'] },
    ),
    seed(
      'admissionregistration.k8s.io/v1',
      'ValidatingWebhookConfiguration',
      'validatingwebhookconfigurations',
      {
        webhooks: [
          {
            name: 'a.b.c',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            clientConfig: { url: 'https://127.0.0.1:1/x' },
            rules: [
              { apiGroups: ['none.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] },
            ],
          },
        ],
      },
      { ...wide, dry: true },
    ),
    seed(
      'admissionregistration.k8s.io/v1',
      'ValidatingAdmissionPolicy',
      'validatingadmissionpolicies',
      {
        spec: {
          matchConstraints: {
            resourceRules: [
              { apiGroups: ['none.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] },
            ],
          },
          validations: [{ expression: 'object.spec.replicas < 5' }],
        },
      },
      { ...wide, dry: true },
    ),
    seed(
      'apiregistration.k8s.io/v1',
      'APIService',
      'apiservices',
      {
        spec: {
          group: 'g.example',
          version: 'v1',
          groupPriorityMinimum: 1,
          versionPriority: 1,
          service: { name: 's', namespace: 'n' },
        },
      },
      { ...wide, dry: true },
    ),
    seed(
      'authorization.k8s.io/v1',
      'SubjectAccessReview',
      'subjectaccessreviews',
      { spec: { user: 'u', groups: ['g'], resourceAttributes: { verb: 'get', resource: 'pods' } } },
      wide,
    ),
    seed(
      'authorization.k8s.io/v1',
      'SelfSubjectRulesReview',
      'selfsubjectrulesreviews',
      { spec: { namespace: 'default' } },
      wide,
    ),
    seed(
      'authentication.k8s.io/v1',
      'TokenReview',
      'tokenreviews',
      { spec: { token: 'a.b.c', audiences: ['x'] } },
      wide,
    ),
    definitionSeed(group),
    ...customSeeds(group),
  ];
}

/** The CRD of the custom seeds. It is stored once per batch, and later only attacked with dry runs. */
export function definitionSeed(group: string): Seed {
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: { type: 'integer', minimum: 0, default: 1 },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          port: { 'x-kubernetes-int-or-string': true },
          list: {
            type: 'array',
            maxItems: 50,
            items: { type: 'object', required: ['key'], properties: { key: { type: 'string', maxLength: 60 } } },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['key'],
          },
          pattern: { type: 'string', pattern: '^(a+)+$', maxLength: 200 },
        },
        'x-kubernetes-validations': [
          { rule: 'self.size < 1000', message: 'too large' },
          { rule: '!has(self.list) || self.list.all(x, x.key != "no")' },
        ],
      },
      status: { type: 'object', properties: { replicas: { type: 'integer' } } },
    },
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' } },
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    selectableFields: [{ jsonPath: '.spec.size' }],
  };
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget' };
  const other = { ...version, name: 'v2', storage: false };
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: [version, other] },
  };
  return { apiVersion: body.apiVersion, plural: 'customresourcedefinitions', namespaced: false, dry: true, body };
}

function customSeeds(group: string): Seed[] {
  const spec = { size: 3, free: { a: [1, { b: 2 }] }, port: 'http', list: [{ key: 'k' }], pattern: 'aaa' };
  return ['v1', 'v2'].map((version) => seed(`${group}/${version}`, 'Widget', 'widgets', { spec }, scale));
}
