import type { Random } from '#platform/base/random';
import { type Body, bodyFor, text } from './bodies.ts';
import type { RawRequest } from './http1-connection.ts';
import { mutated, ODD_TEXTS, oddValue } from './odd-values.ts';
import { oddManagedFields, patchFor } from './patches.ts';
import type { Seed } from './seeds.ts';

/** Target of a batch of attacks. */
export interface Ground {
  readonly namespace: string;
  readonly seeds: readonly Seed[];
  readonly token: string;
}

/** One request of any kind. */
export function attack(random: Random, ground: Ground): RawRequest {
  const choice = random.next();
  const made =
    choice < 0.1
      ? strayPath(random, ground)
      : choice < 0.28
        ? reading(random, ground)
        : choice < 0.5
          ? writing(random, ground)
          : choice < 0.8
            ? patching(random, ground)
            : choice < 0.9
              ? deleting(random, ground)
              : onSubresource(random, ground);
  return withHeaders(random, ground, made);
}

interface Made {
  readonly method: string;
  readonly target: string;
  readonly body?: Body;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH', 'PURGE'];

export function collectionOf({ apiVersion, plural, namespaced }: Seed, namespace: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

const pathOf = (seed: Seed, { namespace }: Ground) => `${collectionOf(seed, namespace)}/${seed.body.metadata.name}`;

/** Requests an invalid path with any method. */
function strayPath(random: Random, ground: Ground): Made {
  const seed = random.pick(ground.seeds);
  const parts = pathOf(seed, ground).split('/');
  for (let left = random.int(1, 2); left > 0; left--) {
    const odd = random.next() < 0.3 ? random.pick(ODD_TEXTS) : encodeURIComponent(wellFormed(random.pick(ODD_TEXTS)));
    const at = random.int(1, parts.length);
    parts.splice(at, random.int(0, 1), odd);
  }
  const roots = [
    '/',
    '/api',
    '/apis',
    '/openapi/v2',
    '/openapi/v3/api/v1',
    '/metrics',
    '/version',
    '/livez/x',
    '/logs/..',
  ];
  const target = random.next() < 0.2 ? `${random.pick(roots)}/${random.pick(ODD_TEXTS)}` : parts.join('/');
  const method = random.pick(METHODS);
  // Namespaces and CRDs of the base state are not deleted.
  const harmless = method === 'DELETE' && /namespaces\/[^/]*\/?$|customresourcedefinitions/.test(target);
  return { method: harmless ? 'GET' : method, target: sendable(target), body: bodyFor(random, seed) };
}

const PARAMETERS = [
  'labelSelector',
  'fieldSelector',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'timeoutSeconds',
  'pretty',
  'sendInitialEvents',
  'allowWatchBookmarks',
  'includeObject',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'gracePeriodSeconds',
  'propagationPolicy',
  'orphanDependents',
  '__proto__',
  'constructor',
];

const CONTINUE = [
  '{"v":"meta.k8s.io/v1","rv":3,"start":"a"}',
  '{"v":"meta.k8s.io/v1","rv":-1,"start":"../x"}',
  '{"v":"x"}',
  'null',
  '[]',
  '{"v":"meta.k8s.io/v1","rv":1e99,"start":"a"}',
  '{"v":"meta.k8s.io/v1","rv":99999,"start":"a"}',
].map((token) => Buffer.from(token).toString('base64url'));
const VALUES: readonly string[] = [
  'All',
  'true',
  'false',
  '1',
  '0',
  '-1',
  '5',
  'Exact',
  'NotOlderThan',
  'Strict',
  'Warn',
  'Ignore',
  'app=fuzz',
  'app in (fuzz,x)',
  'metadata.name=x',
  'spec.nodeName!=y',
  'status.phase=Running',
  'Foreground',
  'Orphan',
  'None',
  'Object',
  'fuzz',
  ...CONTINUE,
];

function query(random: Random, first: readonly string[] = []): string {
  const pairs = Array.from({ length: random.int(0, 3) }, () => {
    const value = random.next() < 0.6 ? random.pick(VALUES) : random.pick(ODD_TEXTS);
    return `${random.pick(PARAMETERS)}=${random.next() < 0.9 ? encodeURIComponent(wellFormed(value)) : value}`;
  });
  const all = [...first, ...pairs];
  return all.length === 0 ? '' : sendable(`?${all.join('&')}`);
}

function reading(random: Random, ground: Ground): Made {
  const seed = random.pick(ground.seeds);
  const base = random.next() < 0.5 ? collectionOf(seed, ground.namespace) : pathOf(seed, ground);
  return { method: random.pick(['GET', 'GET', 'GET', 'HEAD']), target: `${base}${query(random)}` };
}

function writing(random: Random, ground: Ground): Made {
  const seed = random.pick(ground.seeds);
  const dry = seed.dry === true ? ['dryRun=All'] : [];
  const create = random.next() < 0.6;
  const target = `${create ? collectionOf(seed, ground.namespace) : pathOf(seed, ground)}${query(random, dry)}`;
  if (random.next() < 0.1) {
    const metadata = { ...seed.body.metadata, managedFields: oddManagedFields(random) };
    return {
      method: create ? 'POST' : 'PUT',
      target,
      body: text('application/json', JSON.stringify({ ...seed.body, metadata })),
    };
  }
  return { method: create ? 'POST' : 'PUT', target, body: bodyFor(random, seed) };
}

function patching(random: Random, ground: Ground): Made {
  const seed = random.pick(ground.seeds);
  const options = [
    ...(seed.dry === true ? ['dryRun=All'] : []),
    ...(random.next() < 0.7 ? ['fieldManager=fuzz'] : []),
    ...(random.next() < 0.3 ? ['force=true'] : []),
  ];
  const target = `${pathOf(seed, ground)}${random.next() < 0.1 ? '-new' : ''}${query(random, options)}`;
  if (random.next() < 0.06) {
    const body = { metadata: { managedFields: oddManagedFields(random) } };
    return { method: 'PATCH', target, body: text('application/merge-patch+json', JSON.stringify(body)) };
  }
  return { method: 'PATCH', target, body: patchFor(random, seed) };
}

function deleting(random: Random, ground: Ground): Made {
  const seed = random.pick(ground.seeds);
  const options = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds: 0,
    propagationPolicy: 'Background',
    preconditions: { uid: 'x' },
    dryRun: ['All'],
  };
  const body = text(
    'application/json',
    JSON.stringify(random.next() < 0.2 ? oddValue(random) : mutated(random, options)),
  );
  const dry = seed.dry === true || random.next() < 0.5 ? ['dryRun=All'] : [];
  const one = random.next() < 0.8 || !seed.namespaced;
  const target = one ? pathOf(seed, ground) : collectionOf(seed, ground.namespace);
  return {
    method: 'DELETE',
    target: `${target}${query(random, dry)}`,
    body: random.next() < 0.1 ? bodyFor(random, seed) : body,
  };
}

function onSubresource(random: Random, ground: Ground): Made {
  const seed = random.pick(ground.seeds.filter(({ subresources }) => subresources !== undefined));
  const subresource =
    random.next() < 0.9 ? random.pick(seed.subresources ?? []) : random.pick(['nothing', 'status/x', 'finalize']);
  const target = `${pathOf(seed, ground)}/${subresource}${query(random, ['dryRun=All'])}`;
  const method = random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
  return { method, target, body: method === 'PATCH' ? patchFor(random, seed) : subresourceBody(random, seed) };
}

function subresourceBody(random: Random, seed: Seed): Body {
  if (random.next() < 0.4) return bodyFor(random, seed);
  const body = random.pick([
    { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: seed.body.metadata, spec: { replicas: 3 } },
    { apiVersion: 'v1', kind: 'Binding', metadata: seed.body.metadata, target: { kind: 'Node', name: 'n' } },
    {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: seed.body.metadata,
      deleteOptions: { gracePeriodSeconds: 1 },
    },
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['a'], expirationSeconds: 600 },
    },
  ]);
  return text('application/json', JSON.stringify(mutated(random, body)));
}

const ACCEPT = [
  'application/json',
  '*/*',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/json;as=Nothing;g=x;v=y',
  'text/html',
  ';;;',
  ',',
  'application/json;as',
  'application/json;__proto__=x',
  '*/*;q=nan',
  'a/b,'.repeat(500),
];
const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ['impersonate-user', ''],
  ['impersonate-user', 'system:admin'],
  ['impersonate-group', 'system:masters'],
  ['impersonate-user', 'système:é'],
  ['impersonate-extra-%zz', 'x'],
  ['impersonate-extra-', ''],
  ['impersonate-uid', 'x'],
  ['impersonate-extra-__proto__', 'x'],
  ['authorization', 'Bearer'],
  ['authorization', 'Bearer a.b.c'],
  ['authorization', `Bearer ${'x'.repeat(5_000)}`],
  ['authorization', 'Basic !!!!'],
  ['authorization', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.'],
  ['x-long', 'x'.repeat(9_000)],
  ['x-very-long', 'x'.repeat(40_000)],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'nonsense'],
  ['accept-encoding', 'gzip;q=x, br'],
  ['user-agent', 'curl/8'],
  ['user-agent', '\u00ff\u00fe/'],
  ['upgrade', 'websocket'],
  ['upgrade', 'SPDY/3.1'],
  ['if-none-match', '"x'],
  ['range', 'bytes=0-5'],
  ['cookie', 'a=b; '.repeat(100)],
  ['x-forwarded-for', '::1'],
  ['te', 'trailers'],
];

function withHeaders(random: Random, { token }: Ground, { method, target, body }: Made): RawRequest {
  const odd = Array.from({ length: random.next() < 0.15 ? random.int(1, 3) : 0 }, () => random.pick(ODD_HEADERS));
  const accept: (readonly [string, string])[] = random.next() < 0.3 ? [['accept', random.pick(ACCEPT)]] : [];
  const known = odd.some(([name]) => name === 'authorization') ? [] : [['authorization', `Bearer ${token}`] as const];
  const type = body === undefined ? [] : [['content-type', body.type] as const];
  return { method, target, headers: [...known, ...type, ...accept, ...odd], body: body?.bytes ?? Buffer.alloc(0) };
}

function wellFormed(value: string): string {
  return value.toWellFormed();
}

/** Removes from a target what would end it early on the wire. Bytes outside ASCII are kept. */
function sendable(target: string): string {
  return target.replaceAll(/[\s\0]/g, '%20').toWellFormed();
}
