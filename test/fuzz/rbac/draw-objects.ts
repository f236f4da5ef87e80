import type { Random } from '#platform/base/random';
import {
  ALL_KINDS,
  apiVersionOf,
  CERTIFICATE_REQUESTS,
  collectionPath,
  type FuzzKind,
  KINDS,
  RBAC_KINDS,
} from './fuzz-kinds.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import { ACCOUNT, POOL } from './grants.ts';
import type { Lane } from './lane.ts';
import { acceptHeader, FORMS } from './wire-forms.ts';

type Drawn = Omit<FuzzRequest, 'user' | 'protocol'>;

const METHODS: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  apply: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
const VERBS = ['get', 'list', 'watch', 'create', 'create', 'update', 'patch', 'apply', 'delete', 'deletecollection'];

const NOT_WRITING = ['get', 'list', 'watch', 'delete', 'deletecollection'];

/** Draws a request for an object or a collection of any kind. */
export function drawObjectRequest(random: Random, lane: Lane): Drawn {
  const kind = random.next() < 0.85 ? random.pick(KINDS) : random.pick(ALL_KINDS);
  const namespace = drawNamespace(random, lane, kind);
  if (kind.subresources.length > 0 && random.next() < 0.3) return drawSubresource(random, lane, kind, namespace);
  // Writes of roles and bindings need a model of escalation and are drawn elsewhere.
  const verb = random.pick(RBAC_KINDS.includes(kind) ? NOT_WRITING : VERBS);
  const name = drawName(random, lane, kind, namespace);
  if (verb === 'get') return read(kind, objectPath(kind, namespace, name), random);
  if (verb === 'list') return read(kind, `${collectionPath(kind, namespace)}${listQuery(random, lane)}`, random, true);
  if (verb === 'watch') return watch(kind, collectionPath(kind, namespace), random);
  const written = { kind, namespace: kind.namespaced ? namespace : '', name };
  if (verb === 'delete') return remove(random, kind, objectPath(kind, namespace, name));
  // Whole collections are rarely deleted, or there would be nothing left to read.
  if (verb === 'deletecollection') {
    return random.next() < 0.2
      ? remove(random, kind, `${collectionPath(kind, namespace)}${listQuery(random, lane)}`)
      : remove(random, kind, `${collectionPath(kind, namespace)}?labelSelector=no=such`);
  }
  return write(random, lane, verb, written);
}

export function drawNamespace(random: Random, { names }: Lane, kind: FuzzKind): string {
  if (!kind.namespaced) return '';
  const place = random.next();
  if (place < 0.55) return names.home;
  if (place < 0.92) return names.foreign;
  return place < 0.97 ? '' : `${names.prefix}-missing`;
}

function drawName(random: Random, lane: Lane, kind: FuzzKind, namespace: string): string {
  if (kind.plural === 'namespaces') return random.pick([lane.names.home, lane.names.foreign, 'kube-system']);
  if (kind === CERTIFICATE_REQUESTS) return `${lane.names.prefix}:${random.pick([...POOL, 'secret'])}`;
  if (!kind.namespaced) return random.pick([`${lane.names.prefix}:p1`, `${lane.names.prefix}:p2`, 'view']);
  const planted = lane.planted.filter((each) => each.kind === kind && each.namespace === namespace);
  const names = planted.map(({ name }) => name).filter((name) => name.startsWith('cnry'));
  return random.pick([...POOL, ...POOL, ...names, 'missing']);
}

/** Path of an object. Without a namespace, no server has it. */
export function objectPath(kind: FuzzKind, namespace: string, name: string): string {
  return `${collectionPath(kind, namespace)}/${name}`;
}

function listQuery(random: Random, { names, planted }: Lane): string {
  const { name } = random.pick(planted);
  return random.pick([
    '',
    '',
    '?fieldSelector=metadata.name%3Do1',
    '?fieldSelector=metadata.name==o2',
    '?fieldSelector=metadata.name!=o1',
    `?fieldSelector=metadata.name=${name}`,
    `?fieldSelector=metadata.name=o1,metadata.namespace=${names.foreign}`,
    `?fieldSelector=metadata.namespace=${names.foreign}`,
    '?labelSelector=canary',
    '?labelSelector=canary,fuzz%20notin%20(a)',
    '?limit=1',
    '?limit=2&resourceVersion=0',
    '?watch=0',
    '?watch=false&fieldSelector=metadata.name=o1',
  ]);
}

function read(kind: FuzzKind, target: string, random: Random, isList = false): Drawn {
  const headers = [acceptHeader(random, kind, isList)];
  const method = random.next() < 0.04 ? 'HEAD' : 'GET';
  return { method, target, headers, body: NOTHING, kind, wellFormed: true, applies: false };
}

const INITIAL_EVENTS =
  'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=20';
const READ_UNTIL = 'k8s.io/initial-events-end';

function watch(kind: FuzzKind, collection: string, random: Random): Drawn {
  const name = random.pick(['', '', '&fieldSelector=metadata.name%3Do1', '&fieldSelector=metadata.name=o2']);
  const path =
    random.next() < 0.1 ? collection.replace(/^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\//, '$1/watch/') : collection;
  const asked = path === collection ? random.pick(['watch=1&', 'watch=true&', 'watch&']) : '';
  const target = `${path}?${asked}${INITIAL_EVENTS}${name}`;
  const headers = [random.pick([FORMS.json, FORMS.partial])];
  const body = NOTHING;
  return { method: 'GET', target, headers, body, kind, wellFormed: true, applies: false, readUntil: READ_UNTIL };
}

const NOTHING = Buffer.alloc(0);

function remove(random: Random, kind: FuzzKind, target: string): Drawn {
  const dryRun = random.next() < 0.15;
  const query = dryRun ? `${target.includes('?') ? '&' : '?'}dryRun=All` : '';
  return { ...write0(kind), method: 'DELETE', target: `${target}${query}`, headers: [FORMS.json] };
}

const write0 = (kind: FuzzKind): Omit<Drawn, 'method' | 'target'> => ({
  headers: [FORMS.json],
  body: NOTHING,
  kind,
  wellFormed: true,

  applies: false,
});

interface Written {
  readonly kind: FuzzKind;
  readonly namespace: string;
  readonly name: string;
}

/** An object as a user would write it. */
export function objectOf({ kind, namespace, name }: Written, value: string, content?: object): Record<string, unknown> {
  const metadata = { name, ...(namespace === '' ? {} : { namespace }), labels: { fuzz: value } };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...(content ?? kind.content(namespace, value)) };
}

function write(random: Random, lane: Lane, verb: string, written: Written): Drawn {
  const { kind, namespace, name } = written;
  const value = `v${random.hex(6)}`;
  const body: Record<string, unknown> = objectOf(written, value, contentFor(kind, lane, namespace, value));
  const flaw = random.next() < 0.15 ? spoil(random, lane, body) : undefined;
  const dryRun = random.next() < 0.1;
  const generated = verb === 'create' && flaw === undefined && random.next() < 0.1;
  if (generated) body['metadata'] = { generateName: 'g-', labels: { fuzz: value } };
  const path = verb === 'create' ? collectionPath(kind, namespace) : objectPath(kind, namespace, name);
  const query = [dryRun ? 'dryRun=All' : '', verb === 'apply' ? 'fieldManager=fuzz&force=true' : ''].filter(
    (part) => part !== '',
  );
  const target = `${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const patches = patchOf(random, kind, value, namespace);
  const [type, sent] =
    verb === 'apply' ? ['application/apply-patch+yaml', body] : verb === 'patch' ? patches : ['application/json', body];
  const headers = [random.next() < 0.85 ? FORMS.json : acceptHeader(random, kind), ['content-type', type] as const];
  const text = flaw ?? JSON.stringify(sent);
  const wellFormed = flaw === undefined && kind.kind !== 'Event' && isComplete(kind);
  return {
    method: METHODS[verb] ?? 'POST',
    target,
    headers,
    body: Buffer.from(verb === 'patch' ? JSON.stringify(sent) : text),
    kind,
    wellFormed: verb === 'patch' ? isComplete(kind) : wellFormed,
    applies: verb === 'apply',
  };
}

/** Whether `content` is sufficient for a kind to be accepted. */
const isComplete = (kind: FuzzKind): boolean => KINDS.includes(kind);

function contentFor(kind: FuzzKind, lane: Lane, namespace: string, value: string): object | undefined {
  if (kind === CERTIFICATE_REQUESTS) return undefined;
  return kind.content(namespace === '' ? lane.names.home : namespace, value);
}

/** A body that does not match: of another place or kind, or no object at all. */
function spoil(random: Random, { names }: Lane, body: Record<string, unknown>): string {
  const metadata = body['metadata'] as object;
  switch (random.int(0, 5)) {
    case 0:
      return JSON.stringify({ ...body, metadata: { ...metadata, namespace: names.foreign } });
    case 1:
      return JSON.stringify({ ...body, metadata: { ...metadata, name: 'other' } });
    case 2:
      return JSON.stringify({ ...body, kind: 'Secret', apiVersion: 'v1' });
    case 3:
      return JSON.stringify({ ...body, metadata: { ...metadata, resourceVersion: '1', uid: 'a' } });
    case 4:
      return '{"metadata":';
    default:
      return JSON.stringify({ ...body, metadata: { ...metadata, namespace: names.home, name: '../o1' } });
  }
}

function patchOf(random: Random, kind: FuzzKind, value: string, namespace: string): [string, unknown] {
  const labels = { metadata: { labels: { fuzz: value } } };
  const foreign = { metadata: { namespace: `${namespace}x` } };
  return random.pick<[string, unknown]>([
    ['application/merge-patch+json', labels],
    ['application/merge-patch+json', random.next() < 0.2 ? foreign : labels],
    [kind.custom ? 'application/merge-patch+json' : 'application/strategic-merge-patch+json', labels],
    ['application/json-patch+json', [{ op: 'add', path: '/metadata/labels', value: { fuzz: value } }]],
    ['application/json-patch+json', [{ op: 'test', path: '/metadata/name', value: 'guess' }]],
  ]);
}

function drawSubresource(random: Random, lane: Lane, kind: FuzzKind, namespace: string): Drawn {
  const subresource = random.pick(kind.subresources);
  const name =
    kind.plural === 'serviceaccounts' ? random.pick([ACCOUNT, 'o1']) : drawName(random, lane, kind, namespace);
  const target = `${objectPath(kind, namespace, name)}/${subresource}`;
  const base = { ...write0(kind), target, wellFormed: false };
  const json = (object: object) => ({
    headers: [FORMS.json, ['content-type', 'application/json'] as const],
    body: Buffer.from(JSON.stringify(object)),
  });
  const dryRun = random.next() < 0.1;
  const suffix = dryRun ? '?dryRun=All' : '';
  const metadata = { name, ...(namespace === '' ? {} : { namespace }) };
  switch (subresource) {
    case 'eviction': {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata };
      return { ...base, ...json(body), target: target + suffix, method: 'POST' };
    }
    case 'binding': {
      const body = { apiVersion: 'v1', kind: 'Binding', metadata, target: { kind: 'Node', name: 'n1' } };
      const legacy = `/api/v1/namespaces/${namespace}/bindings`;
      const path = random.next() < 0.2 && namespace !== '' ? legacy : target;
      return { ...base, ...json(body), target: path + suffix, method: 'POST' };
    }
    case 'token': {
      const body = { spec: { audiences: ['fuzz'], expirationSeconds: 600 } };
      return { ...base, ...json(body), method: 'POST' };
    }
    case 'log':
    case 'exec':
    case 'proxy':
      return { ...base, method: random.pick(subresource === 'log' ? ['GET'] : ['GET', 'POST', 'DELETE']) };
    default: {
      const method = random.pick(['GET', 'PATCH', 'PATCH', 'PUT']);
      if (method === 'GET') return { ...base, method };
      const labels = { metadata: { labels: { fuzz: `v${random.hex(6)}` } } };
      const spec = subresource === 'scale' ? { spec: { replicas: 0 } } : labels;
      const [type, sent] =
        method === 'PUT'
          ? [
              'application/json',
              { ...objectOf({ kind, namespace, name }, 'v', contentFor(kind, lane, namespace, 'v')) },
            ]
          : ['application/merge-patch+json', spec];
      const body = Buffer.from(JSON.stringify(sent));
      return { ...base, method, target: target + suffix, body, headers: [FORMS.json, ['content-type', type]] };
    }
  }
}
