import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attributes } from './attributes.ts';
import { bootstrapRbac, bootstrapRoles } from './bootstrap.fixture.ts';
import { Rbac } from './rbac.ts';
import type { ClusterRole, RbacObjects, Role, RoleBinding } from './rbac-objects.ts';
import { rulesReview } from './rules-review.ts';
import type { User } from './user.ts';

/** Responses of kube-apiserver v1.36.3 to SubjectAccessReviews, with the objects it had besides its own. */
interface Answers {
  readonly objects: { readonly [K in keyof RbacObjects]: RbacObjects[K][] };
  readonly copies: Readonly<Record<string, string>>;
  readonly users: readonly [string, string[]][];
  readonly reasons: readonly string[];
  readonly answers: readonly (string | number)[][];
}

const recorded = JSON.parse(readFileSync(new URL('rbac.data.json', import.meta.url), 'utf8')) as Answers;

function recordedRbac(): Rbac {
  const rbac = bootstrapRbac();
  const { clusterroles } = bootstrapRoles();
  for (const [name, source] of Object.entries(recorded.copies)) {
    const rules = clusterroles.find(({ metadata }) => metadata.name === source)?.rules ?? [];
    rbac.upsert('ClusterRole', { metadata: { name }, rules });
  }
  for (const kind of ['ClusterRole', 'Role', 'ClusterRoleBinding', 'RoleBinding'] as const) {
    for (const object of recorded.objects[kind]) rbac.upsert(kind, object);
  }
  return rbac;
}

function attributesOf(row: readonly (string | number)[]): Attributes {
  const [at, ...request] = row.slice(0, -2);
  const [name, groups] = recorded.users[at as number] ?? ['', []];
  const user = { name, groups };
  const [verb = '', second = '', resource = '', subresource = '', namespace = '', object = ''] = request as string[];
  if (request.length === 2) return { user, verb, path: second };
  return { user, verb, group: second, resource, subresource, namespace, name: object };
}

/** Returns all possible reasons for the request: the server names a random one of several bindings. */
function allReasons(attributes: Attributes): string[] {
  const rbac = recordedRbac();
  const reasons: string[] = [];
  for (;;) {
    const { allowed, reason } = rbac.authorize(attributes);
    reasons.push(reason);
    const [, kind, name = '', namespace] = /by (\w+) "([^"/]*)(?:\/([^"]*))?"/.exec(reason) ?? [];
    if (!allowed || kind === undefined) return reasons;
    rbac.remove(kind as 'RoleBinding', namespace, name);
  }
}

describe('decisions', () => {
  test('equal those of a real API server, with the same reason', () => {
    const rbac = recordedRbac();
    expect(recorded.answers.length).toBeGreaterThan(800);
    for (const row of recorded.answers) {
      const attributes = attributesOf(row);
      const reason = recorded.reasons[row.at(-1) as number] ?? '';
      const mine = rbac.authorize(attributes);
      expect(mine.allowed, JSON.stringify(attributes)).toBe(row.at(-2) === 1);
      if (mine.reason !== reason) expect(allReasons(attributes), JSON.stringify(attributes)).toContain(reason);
    }
  });

  test('are the same from the cache, in any order', () => {
    const rbac = recordedRbac();
    for (const row of recorded.answers.toReversed()) rbac.authorize(attributesOf(row));
    for (const row of recorded.answers) {
      expect(rbac.authorize(attributesOf(row)).allowed).toBe(row.at(-2) === 1);
    }
  });

  test('allow members of system:masters everything, without any role', () => {
    const user = { name: 'root', groups: ['system:masters'] };
    expect(new Rbac().authorize({ user, verb: 'x', group: 'y', resource: 'z' })).toEqual({ allowed: true, reason: '' });
    expect(new Rbac().authorize({ user, verb: 'x', path: '/y' }).allowed).toBe(true);
  });
});

const jane: User = { name: 'jane', groups: ['system:authenticated'] };
const readPods = { user: jane, verb: 'get', group: '', resource: 'pods', namespace: 'one' };
const reader: ClusterRole = {
  metadata: { name: 'reader' },
  rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
};

function binding(
  name: string,
  roleRef: RoleBinding['roleRef'],
  subjects: RoleBinding['subjects'],
  namespace?: string,
): RoleBinding {
  return { metadata: { name, ...(namespace ? { namespace } : {}) }, roleRef, subjects: subjects ?? [] };
}

const toReader = { kind: 'ClusterRole', name: 'reader' };
const toJane = [{ kind: 'User', name: 'jane' }];

describe('changes', () => {
  test('take effect at once, even if decisions are cached', () => {
    const rbac = new Rbac();
    const asks = (): boolean => rbac.authorize(readPods).allowed;
    expect(asks()).toBe(false);
    rbac.upsert('ClusterRole', reader);
    expect(asks()).toBe(false);
    rbac.upsert('RoleBinding', binding('b', toReader, toJane, 'one'));
    expect(asks()).toBe(true);
    rbac.upsert('RoleBinding', binding('b', toReader, [{ kind: 'User', name: 'joe' }], 'one'));
    expect(asks()).toBe(false);
    rbac.upsert('RoleBinding', binding('b', toReader, toJane, 'one'));
    rbac.upsert('ClusterRole', { ...reader, rules: [] });
    expect(asks()).toBe(false);
    rbac.upsert('ClusterRole', reader);
    expect(asks()).toBe(true);
    rbac.remove('RoleBinding', 'one', 'b');
    expect(asks()).toBe(false);
  });

  test('to a Role in another namespace have no effect', () => {
    const rbac = new Rbac();
    const role: Role = { metadata: { name: 'reader', namespace: 'two' }, rules: reader.rules ?? [] };
    rbac.upsert('Role', role);
    rbac.upsert('RoleBinding', binding('b', { kind: 'Role', name: 'reader' }, toJane, 'two'));
    expect(rbac.authorize(readPods).allowed).toBe(false);
    expect(rbac.authorize({ ...readPods, namespace: 'two' }).allowed).toBe(true);
    expect(rbac.authorize({ ...readPods, namespace: '' }).allowed).toBe(false);
  });

  test('to objects that do not exist are ignored', () => {
    const rbac = new Rbac();
    rbac.remove('ClusterRoleBinding', undefined, 'none');
    rbac.remove('Role', 'one', 'none');
    expect(rbac.authorize(readPods)).toEqual({ allowed: false, reason: '' });
  });
});

describe('a cached decision', () => {
  test('is never used for another user whose concatenated names and groups are equal', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', ' ', '1', ':'), maxLength: 4 });
    const someone = fc.record({ name: text, groups: fc.array(text, { maxLength: 3 }) });
    fc.assert(
      fc.property(someone, someone, (a, b) => {
        fc.pre(a.name !== b.name && !b.groups.some((group) => a.groups.includes(group)));
        const rbac = new Rbac();
        rbac.upsert('ClusterRole', reader);
        const subjects = [{ kind: 'User', name: a.name }, ...a.groups.map((name) => ({ kind: 'Group', name }))];
        rbac.upsert('ClusterRoleBinding', binding('b', toReader, subjects));
        expect(rbac.authorize({ ...readPods, user: a }).allowed).toBe(true);
        expect(rbac.authorize({ ...readPods, user: b }).allowed).toBe(false);
      }),
      {
        examples: [
          [
            { name: 'x', groups: ['y'] },
            { name: 'x\ny', groups: [] },
          ],
          [
            { name: 'x', groups: ['1 y'] },
            { name: 'x3 1 y', groups: [] },
          ],
          [
            { name: 'x', groups: ['y', 'z'] },
            { name: 'w', groups: ['y\nz'] },
          ],
        ],
      },
    );
  });

  test('is never used for another request whose concatenated attributes are equal', () => {
    const rbac = new Rbac();
    rbac.upsert('ClusterRole', reader);
    rbac.upsert('ClusterRoleBinding', binding('b', toReader, toJane));
    expect(rbac.authorize(readPods).allowed).toBe(true);
    expect(rbac.authorize({ ...readPods, verb: 'ge', group: 't' }).allowed).toBe(false);
    expect(rbac.authorize({ ...readPods, resource: 'pod', subresource: 's' }).allowed).toBe(false);
  });
});

describe('a rules review', () => {
  test('lists the rules of all bindings, and reports which roles are missing', () => {
    const rbac = new Rbac();
    rbac.upsert('ClusterRole', reader);
    rbac.upsert('ClusterRole', {
      metadata: { name: 'paths' },
      rules: [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
    });
    rbac.upsert('ClusterRoleBinding', binding('a', { kind: 'ClusterRole', name: 'paths' }, toJane));
    rbac.upsert('RoleBinding', binding('b', toReader, toJane, 'one'));
    rbac.upsert('RoleBinding', binding('c', { kind: 'Role', name: 'gone' }, toJane, 'one'));
    expect(rulesReview(rbac.rulesFor(jane, 'one'))).toEqual({
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "gone" not found',
    });
  });

  test('of a user without bindings lists the rules of all users', () => {
    const review = rulesReview(bootstrapRbac().rulesFor(jane, 'default'));
    expect(review.resourceRules).toEqual([
      {
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    ]);
    expect(review.nonResourceRules).toHaveLength(2);
    expect(review.evaluationError).toBeUndefined();
  });
});
