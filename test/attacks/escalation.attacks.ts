import { describe, expect, it } from 'vitest';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackResponse, AttackTarget, AttackTargetSource, AttackUser } from './support/attack-target.ts';

const GROUP = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${GROUP}/v1`;
const ROLES = `${RBAC}/clusterroles`;
const BINDINGS = `${RBAC}/clusterrolebindings`;
const LOCAL_ROLES = `${RBAC}/namespaces/default/roles`;
const LOCAL_BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const VIEW_LABEL = `${GROUP}/aggregate-to-view`;

const SECRETS = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const LACKS_SECRETS = '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';
const NEEDS_ADMIN = 'must have cluster-admin privileges to use the aggregationRule';

const roleEditing = [
  {
    apiGroups: [GROUP],
    resources: ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
    verbs: ['get', 'create', 'update', 'patch'],
  },
];

type Metadata = { metadata: { labels?: Record<string, string>; [field: string]: unknown }; [field: string]: unknown };

const messageOf = ({ body }: AttackResponse) => (body as { message: string }).message;
const notHeld = (user: AttackUser, plural: string, name: string, lines: string) =>
  `${plural}.${GROUP} "${name}" is forbidden: user "${user.name}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${lines}`;

/** Attacks by users who may only write roles and bindings. */
export function escalationAttacks(source: AttackTargetSource): void {
  attackSuite('escalation', source, (target) => {
    labelAttacks(target);
    aggregationAttacks(target);
    roleAttacks(target);
    bindingAttacks(target);
    sizeAttacks(target);
  });
}

const object = (kind: string, name: string, content: object) => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name },
  ...content,
});

function labelAttacks(target: () => AttackTarget): void {
  describe('a label that adds a role to the aggregated cluster-admin', () => {
    const labels = { [VIEW_LABEL]: 'true' };
    const everything = '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}';

    it.each([
      [MERGE, { metadata: { labels } }],
      [STRATEGIC, { metadata: { labels } }],
      [JSON_PATCH, [{ op: 'add', path: `/metadata/labels/${VIEW_LABEL.replace('/', '~1')}`, value: 'true' }]],
    ])('is denied in a %s', async (contentType, body) => {
      const mallory = await target().user(`label-${contentType.replace(/\W/g, '-')}`, { cluster: roleEditing });
      const response = await mallory.send('PATCH', `${ROLES}/cluster-admin`, { contentType, body });
      expect(response.status).toBe(403);
      expect(messageOf(response)).toBe(notHeld(mallory, 'clusterroles', 'cluster-admin', everything));
    });

    it('is denied in a PUT, with and without a version, and in an applied configuration', async () => {
      const mallory = await target().user('label-put', { cluster: roleEditing });
      const current = (await mallory.must('GET', `${ROLES}/cluster-admin`)) as Metadata;
      const put: Metadata = {
        ...current,
        metadata: { ...current.metadata, labels: { ...current.metadata.labels, ...labels } },
      };
      const { resourceVersion: _version, ...unversioned } = put.metadata;
      const { managedFields: _fields, resourceVersion: _same, ...applied } = put.metadata;
      const responses = [
        await mallory.send('PUT', `${ROLES}/cluster-admin`, { body: put }),
        await mallory.send('PUT', `${ROLES}/cluster-admin`, { body: { ...put, metadata: unversioned } }),
        await mallory.send('PATCH', `${ROLES}/cluster-admin?fieldManager=m&force=true`, {
          contentType: APPLY,
          body: { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', metadata: { name: 'cluster-admin', labels } },
        }),
        await mallory.send('PATCH', `${ROLES}/cluster-admin?fieldManager=m&force=true&dryRun=All`, {
          contentType: APPLY,
          body: { ...put, metadata: applied },
        }),
      ];
      expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    });

    it('is denied without a value, and as an annotation', async () => {
      const mallory = await target().user('label-empty', { cluster: roleEditing });
      for (const metadata of [{ labels: { gathers: '' } }, { annotations: { note: 'x' } }]) {
        const body = { metadata };
        const response = await mallory.send('PATCH', `${ROLES}/cluster-admin`, { contentType: MERGE, body });
        expect(response.status).toBe(403);
      }
    });

    it('may be replaced by owners and finalizers, which grant nothing', async () => {
      const mallory = await target().user('label-owner', { cluster: roleEditing });
      await target().admin.must('POST', ROLES, { body: object('ClusterRole', 'owned', { rules: [SECRETS] }) });
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'no-such-uid' }];
      for (const metadata of [{ finalizers: ['attack.example/x'] }, { ownerReferences }, { finalizers: null }]) {
        const body = { metadata };
        const response = await mallory.send('PATCH', `${ROLES}/owned`, { contentType: MERGE, body });
        expect(response.status).toBe(200);
      }
    });
  });
}

function aggregationAttacks(target: () => AttackTarget): void {
  describe('an aggregation rule', () => {
    const gathersAll = {
      clusterRoleSelectors: [{ matchExpressions: [{ key: 'kubernetes.io/x', operator: 'Exists' }] }],
    };
    const forbidden = (name: string) => `clusterroles.${GROUP} "${name}" is forbidden: ${NEEDS_ADMIN}`;
    /** A role without rules of its own, so that only its aggregation rule matters. */
    const aggregated = (name: string) =>
      target().admin.must('POST', ROLES, {
        body: object('ClusterRole', name, { aggregationRule: gathersAll }),
      }) as Promise<Metadata>;

    it('cannot be added', async () => {
      const mallory = await target().user('aggregate-add', { cluster: roleEditing });
      await target().admin.must('POST', ROLES, { body: object('ClusterRole', 'plain', { rules: [] }) });
      const created = await mallory.send('POST', ROLES, {
        body: object('ClusterRole', 'aggregator', { aggregationRule: gathersAll }),
      });
      const patched = await mallory.send('PATCH', `${ROLES}/plain`, {
        contentType: MERGE,
        body: { aggregationRule: gathersAll },
      });
      expect([created.status, messageOf(created)]).toEqual([403, forbidden('aggregator')]);
      expect([patched.status, messageOf(patched)]).toEqual([403, forbidden('plain')]);
    });

    it.each([
      ['removed', { aggregationRule: null }],
      ['emptied', { aggregationRule: { clusterRoleSelectors: [] } }],
      ['changed', { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }],
      ['kept with another label', { metadata: { labels: { a: 'b' } } }],
    ])('cannot be %s', async (what, body) => {
      const name = `aggregate-${what.replace(/\W/g, '-')}`;
      const mallory = await target().user(name, { cluster: roleEditing });
      await aggregated(name);
      const response = await mallory.send('PATCH', `${ROLES}/${name}`, { contentType: MERGE, body });
      expect([response.status, messageOf(response)]).toEqual([403, forbidden(name)]);
    });

    it('cannot be removed by a PUT', async () => {
      const mallory = await target().user('aggregate-put', { cluster: roleEditing });
      const { metadata } = await aggregated('aggregate-put');
      const body = { ...object('ClusterRole', 'aggregate-put', { rules: [] }), metadata };
      const response = await mallory.send('PUT', `${ROLES}/aggregate-put`, { body });
      expect([response.status, messageOf(response)]).toEqual([403, forbidden('aggregate-put')]);
    });
  });
}

function roleAttacks(target: () => AttackTarget): void {
  it.each([
    ['ClusterRole', ROLES, 'clusterroles'],
    ['Role', LOCAL_ROLES, 'roles'],
  ])('denies a %s with more permissions than its author, in any form', async (kind, path, plural) => {
    const mallory = await target().user(`write-${plural}`, { cluster: roleEditing });
    const name = `write-${plural}`;
    const message = notHeld(mallory, plural, name, LACKS_SECRETS);
    const body = object(kind, name, { rules: [SECRETS] });
    const denied = async (method: string, at: string, options: Parameters<AttackUser['send']>[2]) => {
      const response = await mallory.send(method, at, options);
      expect([response.status, messageOf(response)]).toEqual([403, message]);
    };
    const apply = { contentType: APPLY, body };
    await denied('POST', path, { body });
    await denied('PUT', `${path}/${name}`, { body });
    await denied('PATCH', `${path}/${name}?fieldManager=m`, apply);
    await target().admin.must('POST', path, { body: object(kind, name, { rules: [] }) });
    await denied('PUT', `${path}/${name}`, { body });
    await denied('PATCH', `${path}/${name}?fieldManager=m&force=true`, apply);
    await denied('PATCH', `${path}/${name}`, { contentType: MERGE, body: { rules: [SECRETS] } });
    await denied('PATCH', `${path}/${name}?dryRun=All`, { contentType: MERGE, body: { rules: [SECRETS] } });
    const json = [{ op: 'add', path: '/rules', value: [SECRETS] }];
    await denied('PATCH', `${path}/${name}`, { contentType: JSON_PATCH, body: json });
  });

  it('denies any change of a role with more permissions than the user, even a reduction', async () => {
    const mallory = await target().user('reduce', { cluster: roleEditing });
    const list = { ...SECRETS, verbs: ['get', 'list'] };
    await target().admin.must('POST', ROLES, { body: object('ClusterRole', 'reduced', { rules: [list] }) });
    const body = { rules: [SECRETS] };
    const response = await mallory.send('PATCH', `${ROLES}/reduced`, { contentType: MERGE, body });
    expect(messageOf(response)).toBe(notHeld(mallory, 'clusterroles', 'reduced', LACKS_SECRETS));
  });

  it('denies invalid rules without an internal error', async () => {
    const mallory = await target().user('invalid', { cluster: roleEditing });
    const rules = [
      { ...SECRETS, nonResourceURLs: ['/metrics'] },
      { apiGroups: [''], resources: ['pods'] },
    ];
    const response = await mallory.send('POST', ROLES, { body: object('ClusterRole', 'invalid', { rules }) });
    const lines = `${LACKS_SECRETS}\n{NonResourceURLs:["/metrics"], Verbs:["get"]}`;
    expect([response.status, messageOf(response)]).toEqual([403, notHeld(mallory, 'clusterroles', 'invalid', lines)]);
  });
}

function bindingAttacks(target: () => AttackTarget): void {
  it.each([
    ['ClusterRoleBinding', BINDINGS, 'clusterrolebindings'],
    ['RoleBinding', LOCAL_BINDINGS, 'rolebindings'],
  ])('denies a %s to a role with more permissions than its author, in any form', async (kind, path, plural) => {
    const { admin } = target();
    const mallory = await target().user(`bind-${plural}`, { cluster: roleEditing });
    const name = `bind-${plural}`;
    await admin.must('POST', ROLES, { body: object('ClusterRole', name, { rules: [SECRETS] }) });
    const message = notHeld(mallory, plural, name, LACKS_SECRETS);
    const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name };
    const subjects = [{ kind: 'User', apiGroup: GROUP, name: mallory.name }];
    const body = object(kind, name, { roleRef, subjects });
    const denied = async (method: string, at: string, options: Parameters<AttackUser['send']>[2]) => {
      const response = await mallory.send(method, at, options);
      expect([response.status, messageOf(response)]).toEqual([403, message]);
    };
    await denied('POST', path, { body });
    await denied('PUT', `${path}/${name}`, { body });
    await denied('PATCH', `${path}/${name}?fieldManager=m`, { contentType: APPLY, body });
    await admin.must('POST', path, { body: object(kind, name, { roleRef, subjects: [] }) });
    await denied('PUT', `${path}/${name}`, { body });
    await denied('PATCH', `${path}/${name}?fieldManager=m&force=true`, { contentType: APPLY, body });
    await denied('PATCH', `${path}/${name}`, { contentType: MERGE, body: { subjects } });
    await denied('PATCH', `${path}/${name}`, { contentType: MERGE, body: { metadata: { labels: { a: 'b' } } } });
    const finalizers = { metadata: { finalizers: ['attack.example/x'] } };
    await mallory.must('PATCH', `${path}/${name}`, { contentType: MERGE, body: finalizers });
    await mallory.must('PATCH', `${path}/${name}`, { contentType: MERGE, body: { metadata: { finalizers: null } } });
  });

  it.each([
    ['of no kind', BINDINGS, 'ClusterRoleBinding', undefined, 500],
    ['of an unknown kind', BINDINGS, 'ClusterRoleBinding', { apiGroup: GROUP, kind: 'God', name: 'x' }, 500],
    [
      'that does not exist',
      BINDINGS,
      'ClusterRoleBinding',
      { apiGroup: GROUP, kind: 'ClusterRole', name: 'none' },
      404,
    ],
    [
      'of a namespace that does not exist',
      LOCAL_BINDINGS,
      'RoleBinding',
      { apiGroup: GROUP, kind: 'Role', name: 'none' },
      404,
    ],
  ])('denies a binding to a role %s', async (what, path, kind, roleRef, status) => {
    const name = `bind-${what.replace(/\W/g, '-')}`;
    const mallory = await target().user(name, { cluster: roleEditing });
    const response = await mallory.send('POST', path, { body: object(kind, name, { roleRef }) });
    expect(response.status).toBe(status);
    if (status === 500) expect(messageOf(response)).toBe(`unsupported role reference kind: "${roleRef?.kind ?? ''}"`);
  });
}

function sizeAttacks(target: () => AttackTarget): void {
  it('serves others while a user writes roles with a million permissions', async () => {
    const mallory = await target().user('cubes', { cluster: roleEditing });
    const values = (prefix: string) => Array.from({ length: 100 }, (_, i) => `${prefix}${i}`);
    const rules = [{ apiGroups: values('g'), resources: values('r'), verbs: values('v') }];
    const sent = mallory.send('POST', ROLES, { body: object('ClusterRole', 'cube', { rules }) });
    await target().admin.must('GET', '/api/v1/namespaces/default');
    const { status } = await sent;
    expect(status).toBe(403);
  });
}
