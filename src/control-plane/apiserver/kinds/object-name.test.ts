import { expect, it } from 'vitest';
import { validateMeta } from '#platform/structural/object-meta';
import { nameProblems } from './object-name.ts';

const SUBDOMAIN = 'a lowercase RFC 1123 subdomain must';
const LABEL = 'a lowercase RFC 1123 label must';

it.each([
  ['', 'configmaps', { 'a.b': '', A_: SUBDOMAIN, '1a': '' }],
  ['', 'services', { 'a.b': 'must not contain dots', A_: LABEL, '1a': '' }],
  ['', 'namespaces', { 'a.b': 'must not contain dots', '-': LABEL }],
  ['apps', 'statefulsets', { 'a.b': 'must not contain dots' }],
  ['apps', 'deployments', { 'a.b': '' }],
  ['', 'events', { A_: '', 'a%': "may not contain '%'" }],
  ['events.k8s.io', 'events', { A_: SUBDOMAIN }],
  [
    'rbac.authorization.k8s.io',
    'clusterroles',
    { 'system:node': '', 'a/b': "may not contain '/'", '.': "may not be '.'" },
  ],
  ['policy', 'poddisruptionbudgets', { A_: '' }],
  [
    'networking.k8s.io',
    'ipaddresses',
    { '10.0.0.1': '', 'fd00::1': '', x: 'must be a valid IP', '010.1.1.1': 'must not have leading 0s' },
  ],
])('names of %s %s are validated as by Kubernetes', (group, plural, names) => {
  for (const [name, problem] of Object.entries(names)) {
    const [found = ''] = nameProblems(group, plural)(name);
    expect(found.slice(0, problem.length)).toBe(problem);
    expect(found === '').toBe(problem === '');
  }
});

it.each([
  ['a-', []],
  ['A-', []],
  ['a.-', []],
  ['a.', ['metadata.generateName']],
  ['-', ['metadata.generateName']],
  ['a_', ['metadata.generateName']],
])('the generateName %s is validated up to its dash, as by Kubernetes', (generateName, fields) => {
  const problems = nameProblems('', 'configmaps');
  expect(validateMeta({ generateName }, { nameProblems: problems }).map(({ field }) => field)).toEqual(fields);
});

it('depends on the kind when metadata is validated', () => {
  const fields = (group: string, plural: string) =>
    validateMeta({ name: 'system:node' }, { nameProblems: nameProblems(group, plural) }).map(({ field }) => field);
  expect(fields('rbac.authorization.k8s.io', 'clusterroles')).toEqual([]);
  expect(fields('', 'configmaps')).toEqual(['metadata.name']);
});
