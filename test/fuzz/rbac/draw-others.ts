import type { Random } from '#platform/base/random';
import { objectOf, objectPath } from './draw-objects.ts';
import { ALL_KINDS, CERTIFICATE_REQUESTS, collectionPath } from './fuzz-kinds.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import { POOL } from './grants.ts';
import type { Lane } from './lane.ts';
import type { ResourceAccess } from './request-info.ts';
import { FORMS } from './wire-forms.ts';

type Drawn = Omit<FuzzRequest, 'user' | 'protocol'>;

const NOTHING = Buffer.alloc(0);
const JSON_BODY = [FORMS.json, ['content-type', 'application/json'] as const];

const PATHS = [
  '/',
  '/api',
  '/api/v1',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/apis/kubevirt.io/v1',
  '/openapi/v2',
  '/openapi/v3',
  '/version',
  '/version/',
  '/healthz',
  '/livez',
  '/readyz',
  '/healthz/ping',
  '/livez/ping',
  '/readyz/ping',
  '/metrics',
  '/metrics/slis',
  '/logs/',
  '/debug/pprof/',
  '/configz',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/swagger.json',
  '/nothing',
];

/** Draws a request for a non-resource path. */
export function drawPathRequest(random: Random): Drawn {
  const target = random.pick(PATHS);
  const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);
  const aggregated = 'application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList,application/json';
  const headers = [random.next() < 0.3 ? (['accept', aggregated] as const) : FORMS.json];
  // Large documents that are the same for all are rarely read.
  const isLarge = target.startsWith('/openapi/v2') && random.next() < 0.98;
  return { method, target: isLarge ? '/openapi/v3' : target, headers, body: NOTHING, wellFormed: true, applies: false };
}

const REVIEWED_VERBS = [
  'get',
  'list',
  'create',
  'update',
  'delete',
  'deletecollection',
  'impersonate',
  'bind',
  'escalate',
  '*',
];

/** Draws an access review. The response must match the model. */
export function drawReview(random: Random, { names }: Lane): Drawn {
  const kind = random.pick(ALL_KINDS);
  const access: ResourceAccess = {
    verb: random.pick(REVIEWED_VERBS),
    group: random.next() < 0.95 ? kind.group : '*',
    resource: random.next() < 0.95 ? kind.plural : '*',
    subresource: random.next() < 0.3 ? random.pick([...kind.subresources, 'status', 'scale']) : '',
    namespace: random.pick(['', names.home, names.home, names.foreign, 'kube-system']),
    name: random.pick(['', 'o1', 'o2', 'o3', 'sa1', `${names.prefix}:view`, `${names.prefix}-viewer`]),
  };
  const path = { verb: random.pick(['get', 'post']), path: random.pick(PATHS) };
  const asksPath = random.next() < 0.15;
  const spec = asksPath ? { nonResourceAttributes: path } : { resourceAttributes: access };
  return {
    method: 'POST',
    target: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    headers: JSON_BODY,
    body: Buffer.from(JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec })),
    wellFormed: true,

    applies: false,
    review: { access: asksPath ? path : access },
  };
}

/** Draws certificate requests in which the sender claims to be another user, and approvals of them. */
export function drawCertificateRequest(random: Random, { names }: Lane, requestPem: string): Drawn {
  const kind = CERTIFICATE_REQUESTS;
  const name = `${names.prefix}:${random.pick(POOL)}`;
  const claim = { username: 'system:node:victim', groups: ['system:masters'], uid: 'u', extra: { a: ['b'] } };
  const spec = {
    request: Buffer.from(requestPem).toString('base64'),
    signerName: 'example.com/fuzz',
    usages: ['client auth'],
    ...(random.next() < 0.5 ? claim : {}),
  };
  const base = { headers: JSON_BODY, kind, applies: false };
  if (random.next() < 0.5) {
    const body = Buffer.from(JSON.stringify(objectOf({ kind, namespace: '', name }, 'v', { spec })));
    return { ...base, method: 'POST', target: collectionPath(kind, ''), body, wellFormed: true };
  }
  const condition = { type: 'Approved', status: 'True', reason: 'fuzz', message: 'm' };
  const subresource = random.pick(['approval', 'approval', 'status']);
  const headers = [FORMS.json, ['content-type', 'application/merge-patch+json'] as const];
  const body = Buffer.from(
    JSON.stringify({ status: subresource === 'status' ? { certificate: 'YQ==' } : { conditions: [condition] } }),
  );
  return {
    ...base,
    headers,
    method: 'PATCH',
    target: `${objectPath(kind, '', name)}/${subresource}`,
    body,
    wellFormed: true,
  };
}

/** Returns the same request with impersonation. */
export function asSomebodyElse(random: Random, lane: Lane, request: Drawn): Drawn {
  const { prefix, home } = lane.names;
  const user = random.pick([
    `${prefix}-viewer`,
    `${prefix}-viewer`,
    `${prefix}-editor`,
    `${prefix}-granter`,
    `system:serviceaccount:${home}:sa1`,
    'system:admin',
  ]);
  const groups = random.pick([[], [], [], ['system:masters'], [`${prefix}-group`]]);
  const further = random.pick([
    [],
    [],
    [],
    [['Impersonate-Uid', 'u'] as const],
    [['Impersonate-Extra-a', 'b'] as const],
  ]);
  const headers = [
    ...request.headers,
    [random.pick(['Impersonate-User', 'impersonate-user', 'IMPERSONATE-USER']), user] as const,
    ...groups.map((group) => ['Impersonate-Group', group] as const),
    ...further,
  ];
  return { ...request, headers, impersonates: { user, groups, isMore: further.length > 0 } };
}
