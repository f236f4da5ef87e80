import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { withKubeconfigEntries, withoutKubeconfigEntries } from './edit-kubeconfig.ts';

const OURS = { name: 'vimana', server: 'https://127.0.0.1:6443', token: 'secret' };
const CURRENT = { makeCurrent: true };
const OTHER = `# Clusters at work.
apiVersion: v1
kind: Config
preferences: {}
clusters:
- name: work # do not delete
  cluster: {server: "https://work.example.org"}
users:
- name: work
  user: {token: abc}
contexts:
- name: work
  context: {cluster: work, user: work}
current-context: work
`;

test('a new file contains the entries, and is current only on request', () => {
  expect(parse(withKubeconfigEntries('', 'f', OURS, CURRENT))).toMatchObject({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'vimana', cluster: { server: OURS.server } }],
    contexts: [{ name: 'vimana', context: { cluster: 'vimana', user: 'vimana' } }],
    'current-context': 'vimana',
  });
  expect(parse(withKubeconfigEntries('', 'f', OURS, { makeCurrent: false }))).not.toHaveProperty('current-context');
});

test('other entries and comments are kept, also when ours are replaced and removed', () => {
  const once = withKubeconfigEntries(OTHER, 'f', OURS, CURRENT);
  const twice = withKubeconfigEntries(once, 'f', { ...OURS, server: 'https://127.0.0.1:7443' }, { makeCurrent: false });
  const { clusters, users, contexts, ...rest } = parse(twice);
  expect([clusters, users, contexts].map((entries) => entries.map(({ name }: { name: string }) => name))).toEqual(
    Array.from({ length: 3 }, () => ['work', 'vimana']),
  );
  expect(clusters[1].cluster.server).toBe('https://127.0.0.1:7443');
  expect(rest).toEqual({ apiVersion: 'v1', kind: 'Config', preferences: {}, 'current-context': 'vimana' });
  expect(twice).toContain('# Clusters at work.');
  expect(twice).toContain('# do not delete');
  const removed = withoutKubeconfigEntries(twice, 'f', 'vimana') ?? '';
  expect(parse(removed)).toEqual({ ...parse(OTHER), 'current-context': '' });
  expect(withoutKubeconfigEntries(removed, 'f', 'vimana')).toBeUndefined();
});

test('a current context of another cluster stays current', () => {
  const merged = withKubeconfigEntries(OTHER, 'f', OURS, { makeCurrent: false });
  expect(parse(withoutKubeconfigEntries(merged, 'f', 'vimana') ?? '')).toEqual(parse(OTHER));
});

test.each([
  ['null lists', 'apiVersion: v1\nkind: Config\nclusters: null\nusers: null\ncontexts: null\n'],
  ['no lists', 'apiVersion: v1\nkind: Config\n'],
  ['only a comment', '# empty\n'],
])('a file with %s is complete afterwards', (_what, text) => {
  const { clusters, users, contexts } = parse(withKubeconfigEntries(text, 'f', OURS, CURRENT));
  expect([clusters, users, contexts].map(({ length }) => length)).toEqual([1, 1, 1]);
});

test.each([
  ['a: [', 'f is not a kubeconfig, and was not changed'],
  ['- a list', 'f is not a kubeconfig, and was not changed'],
  [OTHER.replaceAll('work', 'vimana'), 'f has a cluster "vimana" on another host, and was not changed'],
])('%j is rejected without quoting it', (text, message) => {
  expect(() => withKubeconfigEntries(text, 'f', OURS, CURRENT)).toThrow(message);
});
