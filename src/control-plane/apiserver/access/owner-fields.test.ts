import { expect, test } from 'vitest';
import { changesOnlyOwnerFields } from './owner-fields.ts';

const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
const old = { metadata: { name: 'r', resourceVersion: '1', labels: { a: 'b' } }, rules };

test.each<[string, object, boolean]>([
  ['nothing', old, true],
  ['finalizers', { ...old, metadata: { ...old.metadata, finalizers: ['x/y'] } }, true],
  ['owners', { ...old, metadata: { ...old.metadata, ownerReferences: [{ uid: '1' }] } }, true],
  ['managed fields', { ...old, metadata: { ...old.metadata, managedFields: [{ manager: 'm' }] } }, true],
  ['a missing map to an empty one', { ...old, metadata: { ...old.metadata, annotations: {} } }, true],
  ['a missing list to an empty one', { ...old, rules: [{ ...rules[0], resourceNames: [] }] }, true],
  ['a label', { ...old, metadata: { ...old.metadata, labels: { a: 'c' } } }, false],
  ['a label without a value', { ...old, metadata: { ...old.metadata, labels: { a: 'b', c: '' } } }, false],
  ['labels, by removing one', { ...old, metadata: { ...old.metadata, labels: {} } }, false],
  ['an annotation', { ...old, metadata: { ...old.metadata, annotations: { a: 'b' } } }, false],
  ['the apiVersion, by omitting it', { ...old, metadata: { name: 'r', labels: { a: 'b' } } }, false],
  ['a rule', { ...old, rules: [...rules, ...rules] }, false],
  ['an aggregation rule', { ...old, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: '' } }] } }, false],
  ['finalizers and a label', { ...old, metadata: { ...old.metadata, finalizers: ['x/y'], labels: {} } }, false],
])('a change of %s', (_what, object, expected) => {
  expect(changesOnlyOwnerFields(object, old)).toBe(expected);
});
