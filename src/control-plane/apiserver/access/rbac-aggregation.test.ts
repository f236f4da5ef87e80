import { expect, test } from 'vitest';
import { bootstrapRoles } from './bootstrap.fixture.ts';
import { aggregatedRoleRules } from './rbac-aggregation.ts';
import type { ClusterRole } from './rbac-objects.ts';

const { clusterroles } = bootstrapRoles();

test.each(['view', 'edit', 'admin'])('the rules of %s are those of the roles that its selectors match', (name) => {
  const role = clusterroles.find(({ metadata }) => metadata.name === name);
  expect(role?.rules?.length).toBeGreaterThan(10);
  expect(aggregatedRoleRules({ ...role, metadata: { name }, rules: [] }, clusterroles)).toEqual(role?.rules);
});

const rule = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] });

function labelled(name: string, labels: Record<string, string>, ...verbs: string[]): ClusterRole {
  return { metadata: { name, labels }, rules: verbs.map(rule) };
}

function aggregate(
  selectors: NonNullable<ClusterRole['aggregationRule']>['clusterRoleSelectors'],
  roles: ClusterRole[],
) {
  const role = { metadata: { name: 'sum' }, aggregationRule: { clusterRoleSelectors: selectors ?? [] } };
  return aggregatedRoleRules(role, roles)?.flatMap(({ verbs }) => verbs);
}

test('rules are ordered by the names of their roles, without duplicates and without the role itself', () => {
  const roles = [labelled('b', {}, 'get', 'list'), labelled('a', {}, 'watch', 'get'), labelled('sum', {}, 'delete')];
  expect(aggregate([{}], roles)).toEqual(['watch', 'get', 'list']);
});

test.each([
  [{ matchLabels: { tier: 'x' } }, ['get']],
  [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['x', 'y'] }] }, ['get', 'list']],
  [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['x'] }] }, ['list', 'watch']],
  [{ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, ['get', 'list']],
  [{ matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, ['watch']],
  [{ matchExpressions: [{ key: 'tier', operator: 'Near' }] }, []],
  [{ matchLabels: { tier: 'x' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, []],
])('the selector %j matches %j', (selector, verbs) => {
  const roles = [labelled('a', { tier: 'x' }, 'get'), labelled('b', { tier: 'y' }, 'list'), labelled('c', {}, 'watch')];
  expect(aggregate([selector], roles)).toEqual(verbs);
});

test('a role that is not aggregated keeps its own rules', () => {
  expect(aggregatedRoleRules(labelled('a', {}, 'get'), clusterroles)).toBeUndefined();
});
