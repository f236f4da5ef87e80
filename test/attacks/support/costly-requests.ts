import { encodeProtobuf, PROTOBUF } from '#control-plane/apiserver/protobuf/protobuf';
import type { AttackRequest, Permissions } from './attack-target.ts';

/** Namespace that the attacker may write to. */
export const ATTACKED_NAMESPACE = 'attacked';

export interface CostlyRequest extends AttackRequest {
  readonly method: string;
  readonly path: string;
}

/** Requests that let a user with few permissions cause much work for a server. */
export interface CostlyAttack {
  readonly name: string;
  readonly permissions: Permissions;
  /** Objects that an administrator has created beforehand. */
  readonly setup?: () => readonly CostlyRequest[];
  /** Requests that are sent at once, and again after all responses. */
  readonly burst: () => readonly CostlyRequest[];
  /** Time between the starts of two bursts, if each of them leaves many objects in the store. */
  readonly everyMs?: number;
  /** Mode of sending requests. `bodies byte by byte` never completes a body, `watches` never reads to the end. */
  readonly manner?: 'at once' | 'bodies byte by byte' | 'watches';
}

const CONFIG_MAPS = `/api/v1/namespaces/${ATTACKED_NAMESPACE}/configmaps`;
const PODS = `/api/v1/namespaces/${ATTACKED_NAMESPACE}/pods`;
const SERVICES = `/api/v1/namespaces/${ATTACKED_NAMESPACE}/services`;
const ROLES = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ATTACKED_NAMESPACE}/roles`;
const CUSTOM = `/apis/attacks.example.com/v1/namespaces/${ATTACKED_NAMESPACE}/bulks`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const permitted = (apiGroup: string, resource: string): Permissions => ({
  namespaces: { [ATTACKED_NAMESPACE]: [{ apiGroups: [apiGroup], resources: [resource], verbs: VERBS }] },
});
const CONFIG_MAP_WRITER = permitted('', 'configmaps');

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
/** Repeats the same request. Its body is created once. */
const repeated = (count: number, request: CostlyRequest): CostlyRequest[] => times(count, () => request);
const record = (count: number, entry: (at: number) => readonly [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(times(count, entry));

const post = (path: string, body: object, query = ''): CostlyRequest => ({
  method: 'POST',
  path: `${path}${query}`,
  body: JSON.stringify(body),
});

/** Creates a ConfigMap with large metadata. */
const configMap = (metadata: object, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  ...rest,
});
const dryRun = (body: object): CostlyRequest => post(CONFIG_MAPS, body, '?dryRun=All');

/** Creates a Role with one rule that represents size^3 permissions. */
function cubicRole(name: string, size: number): object {
  const names = (prefix: string) => times(size, (at) => `${prefix}${at}`);
  const rules = [{ apiGroups: names('g'), resources: names('r'), verbs: names('v') }];
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name }, rules };
}

const managedFieldsEntry = (at: number): object => ({
  manager: `m${at}`,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: {},
});

const ownerReference = (at: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: `owner-${at}`,
  uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
});

const MEGABYTE = 'x'.repeat(1_000_000);
const megabyteMap = (at: number, mark = 0): object =>
  configMap({ name: `megabyte-${at}` }, { data: { value: `${mark}${MEGABYTE}` } });

const podWith = (spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'bulk' },
  spec: { containers: [{ name: 'main', image: 'none', ...spec }] },
});
const environment = (count: number, value: string): object[] => times(count, (at) => ({ name: `E${at}`, value }));

const serviceWith = (ports: number): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'bulk' },
  spec: { ports: times(ports, (at) => ({ name: `p${at}`, port: at + 1 })) },
});

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'bulks.attacks.example.com' },
  spec: {
    group: 'attacks.example.com',
    names: { kind: 'Bulk', plural: 'bulks' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  keyed: {
                    type: 'array',
                    maxItems: 20_000,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: {
                        name: { type: 'string', maxLength: 64, pattern: '^(a|aa)+[0-9]*$' },
                        note: { type: 'string', maxLength: 64 },
                      },
                      'x-kubernetes-validations': [{ rule: "!has(self.note) || self.note.matches('^(x+x+)+$')" }],
                    },
                  },
                  unique: {
                    type: 'array',
                    'x-kubernetes-list-type': 'set',
                    items: { type: 'string', maxLength: 64 },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const custom = (name: string, spec: object): object => ({
  apiVersion: 'attacks.example.com/v1',
  kind: 'Bulk',
  metadata: { name },
  spec,
});

const bulk = (name: string): object =>
  custom(name, {
    keyed: times(19_000, (at) => ({ name: `aaaaaaaaaaaaaaaa${at}`, note: 'xxxxxxxxxxxxxxxxxxxx' })),
    unique: times(25_000, (at) => `unique-${at}`),
  });

const patch = (path: string, contentType: string, body: unknown): CostlyRequest => ({
  method: 'PATCH',
  path,
  contentType,
  body: JSON.stringify(body),
});

const storedMaps = (): CostlyRequest[] => times(60, (at) => post(CONFIG_MAPS, megabyteMap(at)));
const get = (path: string, accept = 'application/json'): CostlyRequest => ({
  method: 'GET',
  path,
  headers: { accept },
});
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const YAML = 'application/yaml';

/** A ConfigMap of 1.3 MB in 50,000 entries, which take far longer to encode than one long entry. */
const KEYED_MAP = { name: 'keyed', data: record(50_000, (at) => [`key-${at}`, 'a value']) };
const keyedMap = (at = 0) => ({
  ...configMap({ name: `${KEYED_MAP.name}-${at}` }, { data: KEYED_MAP.data }),
  apiVersion: 'v1',
  kind: 'ConfigMap',
});
const keyedPath = `${CONFIG_MAPS}/${KEYED_MAP.name}-0`;
const storedKeyedMaps = (count: number) => (): CostlyRequest[] => times(count, (at) => post(CONFIG_MAPS, keyedMap(at)));

/** Attacks on the response time of a server, which other users must hardly notice. */
export const COSTLY_ATTACKS: readonly CostlyAttack[] = [
  {
    name: '12 roles of 120^3',
    permissions: permitted('rbac.authorization.k8s.io', 'roles'),
    burst: () => times(12, (at) => post(ROLES, cubicRole(`cubic-${at}`, 120))),
  },
  {
    name: 'role of 300^3',
    permissions: permitted('rbac.authorization.k8s.io', 'roles'),
    burst: () => [post(ROLES, cubicRole('cubic', 300))],
  },
  {
    name: 'managed fields',
    permissions: CONFIG_MAP_WRITER,
    burst: () => repeated(10, dryRun(configMap({ name: 'managed', managedFields: times(24_000, managedFieldsEntry) }))),
  },
  {
    name: 'megabyte objects',
    permissions: CONFIG_MAP_WRITER,
    burst: () =>
      times(100, (at) => ({
        ...patch(`${CONFIG_MAPS}/megabyte-${at}`, 'application/apply-patch+yaml', megabyteMap(at)),
        path: `${CONFIG_MAPS}/megabyte-${at}?fieldManager=attack&force=true`,
      })),
    everyMs: 15_000,
  },
  {
    name: 'new megabyte objects',
    permissions: CONFIG_MAP_WRITER,
    burst: () => times(100, (at) => post(CONFIG_MAPS, megabyteMap(at))),
  },
  {
    name: 'bad labels',
    permissions: CONFIG_MAP_WRITER,
    burst: () => repeated(10, dryRun(configMap({ name: 'labels', labels: record(150_000, (at) => [`!${at}`, '']) }))),
  },
  {
    name: 'good labels',
    permissions: CONFIG_MAP_WRITER,
    burst: () => repeated(10, dryRun(configMap({ name: 'labels', labels: record(45_000, (at) => [`l${at}`, 'v']) }))),
  },
  {
    name: 'owner references',
    permissions: CONFIG_MAP_WRITER,
    burst: () => repeated(10, dryRun(configMap({ name: 'owned', ownerReferences: times(24_000, ownerReference) }))),
  },
  {
    name: 'finalizers',
    permissions: CONFIG_MAP_WRITER,
    burst: () => repeated(10, dryRun(configMap({ name: 'final', finalizers: times(45_000, (at) => `a.io/${at}`) }))),
  },
  {
    name: 'duplicate and unknown fields',
    permissions: CONFIG_MAP_WRITER,
    burst: () =>
      repeated(10, {
        method: 'POST',
        path: `${CONFIG_MAPS}?dryRun=All&fieldValidation=Strict`,
        body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},${times(100_000, (at) => `"u${at}":1,"u${at}":2`).join()}}`,
      }),
  },
  {
    name: 'byte by byte',
    permissions: CONFIG_MAP_WRITER,
    manner: 'bodies byte by byte',
    burst: () => times(700, (at) => post(CONFIG_MAPS, configMap({ name: `slow-${at}` }))),
  },
  {
    name: 'large lists',
    permissions: CONFIG_MAP_WRITER,
    setup: storedMaps,
    burst: () => times(10, (at) => get(CONFIG_MAPS, at % 2 === 0 ? 'application/json' : TABLE)),
  },
  {
    name: 'many watches',
    permissions: CONFIG_MAP_WRITER,
    manner: 'watches',
    setup: () => [post(CONFIG_MAPS, megabyteMap(0))],
    burst: () => [
      ...times(500, () => get(`${CONFIG_MAPS}?watch=true`)),
      ...times(20, (at) => ({
        method: 'PUT',
        path: `${CONFIG_MAPS}/megabyte-0`,
        body: JSON.stringify(megabyteMap(0, at)),
      })),
    ],
  },
  {
    name: 'custom rules and patterns',
    permissions: permitted('attacks.example.com', 'bulks'),
    setup: () => [post(DEFINITIONS, DEFINITION)],
    burst: () => repeated(6, post(CUSTOM, bulk('bulk'), '?dryRun=All')),
  },
  {
    name: 'JSON patches',
    permissions: CONFIG_MAP_WRITER,
    setup: () => [post(CONFIG_MAPS, configMap({ name: 'patched' }, { data: record(40_000, (at) => [`k${at}`, 'v']) }))],
    burst: () =>
      repeated(
        6,
        patch(
          `${CONFIG_MAPS}/patched?dryRun=All`,
          'application/json-patch+json',
          times(10_000, (at) => ({ op: 'add', path: `/data/n${at}`, value: 'v' })),
        ),
      ),
  },
  {
    name: 'strategic patches',
    permissions: permitted('', 'pods'),
    setup: () => [post(PODS, podWith({ env: environment(10_000, 'old') }))],
    burst: () =>
      repeated(
        6,
        patch(`${PODS}/bulk?dryRun=All`, 'application/strategic-merge-patch+json', {
          spec: { containers: [{ name: 'main', env: environment(10_000, 'old') }] },
        }),
      ),
  },
  {
    name: 'pods with long lists',
    permissions: permitted('', 'pods'),
    burst: () =>
      repeated(6, post(PODS, podWith({ env: environment(20_000, 'v'), args: times(25_000, String) }), '?dryRun=All')),
  },
  {
    name: 'service of 50000 ports',
    permissions: permitted('', 'services'),
    burst: () => repeated(6, post(SERVICES, serviceWith(50_000), '?dryRun=All')),
  },
  {
    name: 'YAML',
    permissions: CONFIG_MAP_WRITER,
    burst: () =>
      repeated(6, {
        method: 'PATCH',
        path: `${CONFIG_MAPS}/yaml?fieldManager=attack&dryRun=All`,
        contentType: 'application/apply-patch+yaml',
        body: [
          `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n`,
          ...times(40_000, (line) => `  key-${line}: "value"\n`),
        ].join(''),
      }),
  },
  {
    name: 'protobuf get',
    permissions: CONFIG_MAP_WRITER,
    setup: storedKeyedMaps(1),
    burst: () => repeated(6, get(keyedPath, PROTOBUF)),
  },
  {
    name: 'protobuf lists',
    permissions: CONFIG_MAP_WRITER,
    setup: () => [...storedMaps(), ...storedKeyedMaps(5)()],
    burst: () => repeated(10, get(CONFIG_MAPS, PROTOBUF)),
  },
  {
    name: 'JSON put',
    permissions: CONFIG_MAP_WRITER,
    setup: storedKeyedMaps(1),
    burst: () => repeated(6, { ...post(keyedPath, keyedMap(), '?dryRun=All'), method: 'PUT' }),
  },
  {
    name: 'protobuf put',
    permissions: CONFIG_MAP_WRITER,
    setup: storedKeyedMaps(1),
    burst: () =>
      repeated(6, {
        method: 'PUT',
        path: `${keyedPath}?dryRun=All`,
        contentType: PROTOBUF,
        headers: { accept: PROTOBUF },
        body: encodeProtobuf(keyedMap()),
      }),
  },
  {
    name: 'YAML get',
    permissions: CONFIG_MAP_WRITER,
    setup: storedKeyedMaps(1),
    burst: () => repeated(6, get(keyedPath, YAML)),
  },
  {
    name: 'YAML lists',
    permissions: CONFIG_MAP_WRITER,
    setup: storedKeyedMaps(10),
    burst: () => repeated(6, get(CONFIG_MAPS, YAML)),
  },
  {
    name: 'YAML responses to writes',
    permissions: CONFIG_MAP_WRITER,
    burst: () => repeated(6, { ...dryRun(keyedMap()), headers: { accept: YAML } }),
  },
];
