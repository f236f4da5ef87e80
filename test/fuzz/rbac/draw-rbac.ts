import type { Random } from '#platform/base/random';
import { objectOf, objectPath } from './draw-objects.ts';
import { collectionPath, type FuzzKind, RBAC_GROUP, RBAC_KINDS } from './fuzz-kinds.ts';
import type { FuzzRequest, RbacWrite } from './fuzz-request.ts';
import type { Lane } from './lane.ts';
import type { Binding, Rule } from './rbac-model.ts';
import { FORMS } from './wire-forms.ts';

type Drawn = Omit<FuzzRequest, 'user' | 'protocol'>;

/** Draws a write of a role or binding, which may grant more than its author has. */
export function drawRbacWrite(random: Random, lane: Lane): Drawn {
  const kind = random.pick(RBAC_KINDS);
  const { prefix, home, foreign } = lane.names;
  const namespace = kind.namespaced ? random.pick([home, foreign]) : '';
  const binds = kind.kind.endsWith('Binding');
  const cluster = [`${prefix}:p1`, `${prefix}:p2`, ...(binds ? [] : ['cluster-admin', 'view'])];
  const name = random.pick(kind.namespaced ? ['p1', 'p2', 'editor'] : cluster);
  const isOwn = name !== 'cluster-admin' && name !== 'view';
  const verb = random.pick(isOwn ? ['create', 'update', 'patch', 'apply'] : ['patch', 'update']);
  const value = `v${random.hex(6)}`;
  const rbac = drawContent(random, lane, kind, namespace, isOwn);
  const object = { ...objectOf({ kind, namespace, name }, value, contentOf(rbac)) };
  const dryRun = random.next() < 0.1;
  const query = [dryRun ? 'dryRun=All' : '', verb === 'apply' ? 'fieldManager=fuzz&force=true' : ''].filter(
    (part) => part !== '',
  );
  const path = verb === 'create' ? collectionPath(kind, namespace) : objectPath(kind, namespace, name);
  const target = `${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const base = { target, kind, applies: verb === 'apply', wellFormed: true };
  const send = (method: string, type: string, content: object, written: RbacWrite): Drawn => ({
    ...base,
    method,
    headers: [FORMS.json, ['content-type', type]],
    body: Buffer.from(JSON.stringify(content)),
    rbac: written,
  });
  if (verb === 'create') return send('POST', 'application/json', object, rbac);
  if (verb === 'update') return send('PUT', 'application/json', object, rbac);
  if (verb === 'apply') return send('PATCH', 'application/apply-patch+yaml', object, rbac);
  return drawPatch(random, send, rbac, value);
}

/** Patches of labels change no rule, but are denied to users who could not grant the role. */
function drawPatch(
  random: Random,
  send: (method: string, type: string, content: object, written: RbacWrite) => Drawn,
  rbac: RbacWrite,
  value: string,
): Drawn {
  const labels = { fuzz: value, 'rbac.authorization.k8s.io/aggregate-to-fuzz': 'true' };
  switch (random.int(0, 4)) {
    case 0:
      return send('PATCH', 'application/merge-patch+json', { metadata: { labels } }, {});
    case 1:
      return send('PATCH', 'application/strategic-merge-patch+json', { metadata: { labels } }, {});
    case 2: {
      const patch = [{ op: 'add', path: '/metadata/labels', value: labels }];
      return send('PATCH', 'application/json-patch+json', patch, {});
    }
    case 3: {
      // The roleRef of a binding is immutable, so only its subjects are changed.
      const content = rbac.binding === undefined ? contentOf(rbac) : { subjects: subjectsOf(rbac.binding) };
      const written = rbac.binding === undefined ? rbac : {};
      return send(
        'PATCH',
        'application/merge-patch+json',
        { metadata: { labels: { fuzz: value } }, ...content },
        written,
      );
    }
    default: {
      const [path, list] =
        rbac.binding === undefined ? ['/rules', rbac.rules] : ['/subjects', subjectsOf(rbac.binding)];
      const patch = [
        { op: 'add', path: '/metadata/labels', value: { fuzz: value } },
        { op: 'add', path, value: list },
      ];
      return send(
        'PATCH',
        'application/json-patch+json',
        patch,
        rbac.binding === undefined ? { rules: rbac.rules ?? [] } : {},
      );
    }
  }
}

const subjectsOf = ({ subjects }: Binding): object[] =>
  subjects.map((subject) => ({ ...subject, ...(subject.kind === 'ServiceAccount' ? {} : { apiGroup: RBAC_GROUP }) }));

function contentOf({ rules, binding, aggregates }: RbacWrite): object {
  if (binding !== undefined) {
    return { roleRef: { apiGroup: RBAC_GROUP, ...binding.roleRef }, subjects: subjectsOf(binding) };
  }
  const selector = { matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-fuzz': 'true' } };
  return {
    rules: rules ?? [],
    ...(aggregates === true ? { aggregationRule: { clusterRoleSelectors: [selector] } } : {}),
  };
}

const RULES: readonly Rule[] = [
  // Permissions that the author has.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
  { apiGroups: [''], resources: ['configmaps'], resourceNames: ['o1', 'o2'], verbs: ['get'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['o3'], verbs: ['get'] },
  { apiGroups: [RBAC_GROUP], resources: ['roles', 'rolebindings'], verbs: ['get', 'create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews'], verbs: ['create'] },
  // Permissions that the author does not have, some of which look similar.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
  { apiGroups: ['', 'apps'], resources: ['configmaps'], verbs: ['get'] },
  { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get'] },
  { apiGroups: [''], resources: ['configmaps/status'], verbs: ['get'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['o3', 'o1'], verbs: ['get'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { apiGroups: [''], resources: ['*'], verbs: ['get'] },
  { apiGroups: ['apps'], resources: ['*/scale'], verbs: ['get'] },
  { apiGroups: [RBAC_GROUP], resources: ['clusterroles'], verbs: ['bind', 'escalate'] },
];

const PATH_RULES: readonly Rule[] = [
  { nonResourceURLs: ['/version', '/api/*'], verbs: ['get'] },
  { nonResourceURLs: ['/metrics'], verbs: ['get'] },
  { nonResourceURLs: ['/api/v1'], verbs: ['post'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

function drawContent(random: Random, lane: Lane, kind: FuzzKind, namespace: string, isOwn: boolean): RbacWrite {
  if (kind.kind.endsWith('Binding')) return { binding: drawBinding(random, lane, namespace) };
  // A user who may update a ClusterRole could also remove its rules, which would affect all lanes.
  return isOwn ? drawRole(random, kind.namespaced) : { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] };
}

function drawRole(random: Random, namespaced: boolean): RbacWrite {
  const choices = namespaced ? RULES : [...RULES, ...PATH_RULES];
  const rules = Array.from({ length: random.int(0, 2) }, () => random.pick(choices));
  return { rules, ...(namespaced || random.next() < 0.85 ? {} : { aggregates: true }) };
}

function drawBinding(random: Random, { names, users }: Lane, namespace: string): Binding {
  const { prefix, home } = names;
  const roles = namespace === '' ? [] : ['p1', 'p2', 'editor', 'missing'].map((name) => ({ kind: 'Role', name }));
  const cluster = [
    `${prefix}:p1`,
    `${prefix}:p2`,
    `${prefix}:view`,
    `${prefix}:missing`,
    'cluster-admin',
    'system:kube-scheduler',
  ];
  const roleRef = random.pick([...roles, ...cluster.map((name) => ({ kind: 'ClusterRole', name }))]);
  const subject = random.pick([
    { kind: 'User', name: random.pick(users).name },
    { kind: 'Group', name: `${prefix}-group` },
    { kind: 'ServiceAccount', name: 'sa1', namespace: home },
  ]);
  return { roleRef, subjects: [subject] };
}
