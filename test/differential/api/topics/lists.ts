import type { Random } from '#platform/base/random';
import { GROUP, gadget } from '../definition.ts';
import { CONTINUE, collection, LISTED, MERGE_PATCH, type Step, versionOf } from '../step.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const LABELS = [
  'app=x',
  'app==x',
  'app!=x',
  'app in (x,y)',
  'app notin (x)',
  'app',
  '!app',
  'app=x,tier',
  'tier in (a, b),app!=y',
  'app in ()',
  'app=',
  'app=x,',
  '=x',
  'app in (x',
  'tier>1',
  'tier<5',
  'tier>a',
  'a b',
  'App/=1',
  'x/y/z=1',
  '-a=b',
  'app=-x',
];
const FIELDS = [
  'metadata.name=o1',
  'metadata.name!=o1',
  'metadata.namespace=⟦ns⟧',
  'metadata.name=o1,metadata.namespace=other',
  'spec.mode=Fast',
  'spec.word=abc',
  'spec.size=5',
  'status.phase=Pending',
  'spec.nodeName=',
  'spec.restartPolicy=Always',
  'type=Opaque',
  'metadata.labels=x',
  'metadata.name',
  'metadata.name==o2',
  'a=b=c',
  'metadata.name=a\\,b',
  'metadata.name=a\\x',
];

interface Listed {
  readonly path: string;
  readonly body: (name: string, random: Random) => object;
}

const labelled = (random: Random, name: string) => ({
  name,
  labels: { app: random.pick(['x', 'y']), ...(random.next() < 0.5 ? { tier: random.pick(['1', '3', 'a']) } : {}) },
});

const KINDS: readonly Listed[] = [
  {
    path: collection('v1', 'configmaps'),
    body: (name, random) => ({ metadata: labelled(random, name), data: { a: name } }),
  },
  {
    path: collection('v1', 'secrets'),
    body: (name, random) => ({ metadata: labelled(random, name), type: random.pick(['Opaque', 'a/b']) }),
  },
  {
    path: collection('v1', 'pods'),
    body: (name, random) => ({
      metadata: labelled(random, name),
      spec: { restartPolicy: random.pick(['Always', 'Never']), containers: [{ name: 'c', image: 'i' }] },
    }),
  },
  {
    path: collection(`${GROUP}/v1`, 'gadgets'),
    body: (name, random) => ({
      ...gadget(name),
      metadata: labelled(random, name),
      spec: { ...gadget(name).spec, mode: random.pick(['Fast', 'Slow']) },
    }),
  },
  {
    path: collection(`${GROUP}/v1beta1`, 'gadgets'),
    body: (name, random) => ({
      apiVersion: `${GROUP}/v1beta1`,
      kind: 'Gadget',
      metadata: labelled(random, name),
      spec: { size: random.int(1, 9) },
    }),
  },
  {
    path: collection('coordination.k8s.io/v1', 'leases'),
    body: (name, random) => ({ metadata: labelled(random, name), spec: { holderIdentity: name } }),
  },
];

/** Lists with selectors, in pages, as tables and metadata, and watches from a version. */
export function lists(random: Random): Step[] {
  const { path, body } = random.pick(KINDS);
  const steps: Step[] = [1, 2, 3, 4, 5].map((at) => ({ method: 'POST', path, body: body(`o${at}`, random) }));
  for (let left = random.int(4, 9); left > 0; left--) steps.push(...read(random, path));
  if (!path.includes('/v1beta1/')) steps.push(...history(random, path, body));
  return steps;
}

function read(random: Random, path: string): Step[] {
  const accept = random.pick([
    undefined,
    undefined,
    TABLE,
    METADATA_LIST,
    METADATA,
    `${TABLE},application/json`,
    'application/json;as=Nothing;v=v1;g=meta.k8s.io',
    'text/plain',
    '*/*',
    'application/yaml',
  ]);
  const shape = accept === undefined ? {} : { accept };
  const list = (query: Record<string, string>): Step => ({ method: 'GET', path, query, ...shape });
  switch (random.int(0, 6)) {
    case 0:
      return [list({ labelSelector: random.pick(LABELS) })];
    case 1:
      return [list({ fieldSelector: random.pick(FIELDS) })];
    case 2:
      return [
        list({
          labelSelector: random.pick(LABELS),
          fieldSelector: random.pick(FIELDS),
          limit: random.pick(['1', '2', '0', '-1', 'x']),
        }),
      ];
    case 3:
      return [
        list({ limit: '2' }),
        list({ limit: '2', continue: CONTINUE }),
        list({ limit: '2', continue: CONTINUE }),
        list({ continue: random.pick([CONTINUE, 'bad', 'eyJ2Ijoi']) }),
      ];
    case 4: {
      const resourceVersion = random.pick(['0', LISTED, versionOf(`${path}/o1`), 'x', '-1', '99999999']);
      const resourceVersionMatch = random.pick(['Exact', 'NotOlderThan', 'Wrong', '']);
      // A version far ahead would be waited for several seconds. Another test covers it.
      if (resourceVersion === '99999999') return [list({ resourceVersion: '0', resourceVersionMatch: 'Exact' })];
      return [list({ resourceVersion, ...(resourceVersionMatch === '' ? {} : { resourceVersionMatch }) })];
    }
    case 5:
      return [
        {
          method: 'GET',
          path: `${path}/o${random.int(1, 6)}`,
          ...shape,
          query: random.next() < 0.3 ? { includeObject: random.pick(['None', 'Object', 'Metadata', 'x']) } : {},
        },
      ];
    default:
      return [
        list({
          ...(random.next() < 0.5 ? { includeObject: random.pick(['None', 'Object', 'Metadata', 'x']) } : {}),
          limit: '3',
        }),
      ];
  }
}

/** Changes objects after a list, then watches from that list. The last created object ends the watch. */
function history(random: Random, path: string, body: Listed['body']): Step[] {
  const changes: Step[] = Array.from({ length: random.int(2, 5) }, () => {
    const object = `${path}/o${random.int(1, 5)}`;
    const labels = { app: random.pick(['x', 'y', null]) };
    // kube-apiserver reports a pod that is deleted without a grace period twice, ours once.
    return random.next() < 0.3 && !path.endsWith('/pods')
      ? { method: 'DELETE', path: object }
      : { method: 'PATCH', path: object, contentType: MERGE_PATCH, body: { metadata: { labels } } };
  });
  const last = { ...body('last', random), metadata: { name: 'last', labels: { app: 'x' } } };
  const selector = random.pick([
    {},
    { labelSelector: 'app=x' },
    { labelSelector: 'app in (x,z)' },
    { fieldSelector: 'metadata.name!=o1' },
  ]);
  const since = random.next() < 0.8 ? LISTED : random.pick(['', '0', 'x']);
  const accept = random.pick([undefined, undefined, TABLE, METADATA]);
  return [
    { method: 'GET', path },
    ...changes,
    { method: 'POST', path, body: last },
    {
      method: 'GET',
      path,
      query: { watch: '1', ...selector, ...(since === '' ? {} : { resourceVersion: since }) },
      until: 'last',
      ...(accept === undefined ? {} : { accept }),
    },
  ];
}
