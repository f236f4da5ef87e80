import { expect, it } from 'vitest';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackResponse, AttackTarget, AttackTargetSource, AttackUser } from './support/attack-target.ts';

const APPLY = 'application/apply-patch+yaml';
const GADGETS = '/apis/attack.example/v1/namespaces/default/gadgets';

/** Request that creates an object of a kind. */
interface Kind {
  readonly kind: string;
  readonly group: string;
  readonly plural: string;
  readonly path: string;
  readonly apiVersion: string;
  readonly content: object;
  /** Whether a PUT creates a missing object. */
  readonly puts: boolean;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'ConfigMap',
    group: '',
    plural: 'configmaps',
    path: '/api/v1/namespaces/default/configmaps',
    apiVersion: 'v1',
    content: { data: { a: 'b' } },
    puts: false,
  },
  {
    kind: 'Lease',
    group: 'coordination.k8s.io',
    plural: 'leases',
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    apiVersion: 'coordination.k8s.io/v1',
    content: { spec: { holderIdentity: 'mallory' } },
    puts: true,
  },
  {
    kind: 'RoleBinding',
    group: 'rbac.authorization.k8s.io',
    plural: 'rolebindings',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    content: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'nothing' }, subjects: [] },
    puts: true,
  },
  {
    kind: 'Gadget',
    group: 'attack.example',
    plural: 'gadgets',
    path: GADGETS,
    apiVersion: 'attack.example/v1',
    content: { spec: { a: 'b' } },
    puts: false,
  },
];

/** Attacks by users who may update but not create objects. */
export function createAuthorizationAttacks(source: AttackTargetSource): void {
  attackSuite('create authorization', source, (target) => {
    it.each(KINDS)('denies $kind to a user who may only update one', async (kind) => {
      await prepare(target());
      const { group, plural, path } = kind;
      const rules = [{ apiGroups: [group], resources: [plural], verbs: ['get', 'update', 'patch'] }];
      const mallory = await target().user(`change-${plural}`, { namespaces: { default: rules } });
      const denied = `${qualified(kind)} "made" is forbidden: User "${mallory.name}" cannot create resource "${plural}" in API group "${group}" in the namespace "default"`;
      const applied = await apply(mallory, kind);
      expect([applied.status, messageOf(applied)]).toEqual([403, denied]);
      expect((await apply(mallory, kind, '&dryRun=All')).status).toBe(403);
      const put = await mallory.send('PUT', `${path}/made`, { body: objectOf(kind) });
      expect(put.status).toBe(kind.puts ? 403 : 404);
      if (kind.puts) expect(messageOf(put)).toBe(denied);
      expect((await mallory.send('PUT', `${path}/made?dryRun=All`, { body: objectOf(kind) })).status).toBe(put.status);
      expect((await target().admin.send('GET', `${path}/made`)).status).toBe(404);
    });

    it('denies creating a Service through its status', async () => {
      const rules = [{ apiGroups: [''], resources: ['services/status'], verbs: ['get', 'update', 'patch'] }];
      const mallory = await target().user('change-status', { namespaces: { default: rules } });
      const path = '/api/v1/namespaces/default/services/made/status';
      const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'made' }, spec: { ports: [{ port: 80 }] } };
      const denied = `services "made" is forbidden: User "${mallory.name}" cannot create resource "services/status" in API group "" in the namespace "default"`;
      const put = await mallory.send('PUT', path, { body });
      expect([put.status, messageOf(put)]).toEqual([403, denied]);
      const applied = await mallory.send('PATCH', `${path}?fieldManager=mallory`, { body, contentType: APPLY });
      expect([applied.status, messageOf(applied)]).toEqual([403, denied]);
      expect((await target().admin.send('GET', '/api/v1/namespaces/default/services/made')).status).toBe(404);
    });

    it.each(KINDS)('allows $kind to a user who may create that one', async (kind) => {
      await prepare(target());
      const { group, plural, path } = kind;
      const rules = [
        { apiGroups: [group], resources: [plural], verbs: ['get', 'patch', 'update'] },
        { apiGroups: [group], resources: [plural], verbs: ['create'], resourceNames: ['made'] },
      ];
      const carol = await target().user(`create-${plural}`, { namespaces: { default: rules } });
      expect((await apply(carol, kind)).status).toBe(201);
      await target().admin.must('DELETE', `${path}/made`);
      if (!kind.puts) return;
      expect((await carol.send('PUT', `${path}/made`, { body: objectOf(kind) })).status).toBe(201);
      await target().admin.must('DELETE', `${path}/made`);
    });

    it('validates the object first', async () => {
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }];
      const mallory = await target().user('change-invalid', { namespaces: { default: rules } });
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bad' }, data: { 'not a key': '' } };
      const path = '/api/v1/namespaces/default/configmaps/bad?fieldManager=m';
      expect((await mallory.send('PATCH', path, { contentType: APPLY, body })).status).toBe(422);
    });
  });
}

const qualified = ({ group, plural }: Kind) => (group === '' ? plural : `${plural}.${group}`);
const messageOf = ({ body }: AttackResponse) => (body as { message: string }).message;
const objectOf = ({ apiVersion, kind, content }: Kind) => ({
  apiVersion,
  kind,
  metadata: { name: 'made' },
  ...content,
});

const apply = (user: AttackUser, kind: Kind, query = '') =>
  user.send('PATCH', `${kind.path}/made?fieldManager=m${query}`, { contentType: APPLY, body: objectOf(kind) });

/** A role without permissions, and a custom kind. */
async function prepare({ admin }: AttackTarget): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'nothing' } };
  await admin.send('POST', rbac, { body: { ...role, rules: [] } });
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await admin.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.attack.example' },
      spec: {
        group: 'attack.example',
        scope: 'Namespaced',
        names: { plural: 'gadgets', kind: 'Gadget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    },
  });
  while ((await admin.send('GET', GADGETS)).status !== 200) await new Promise((resolve) => setImmediate(resolve));
}
