import { expect, test } from 'vitest';
import { testCluster } from './chain.fixture.ts';

test('objects require an existing namespace', async () => {
  const cluster = await testCluster();
  const { message, code } = await cluster.refused(cluster.create('configmaps/none', { metadata: { name: 'c' } }));
  expect([code, message]).toEqual([404, 'namespaces "none" not found']);
});

test('a terminating namespace rejects new objects, but not changes of existing ones', async () => {
  const cluster = await testCluster();
  await cluster.create('configmaps/x', { metadata: { name: 'there' } });
  await cluster.patch('namespaces/x', { metadata: { finalizers: ['example.com/wait'] } });
  await cluster.delete('namespaces/x');
  const rejected = await cluster.refused(cluster.create('configmaps/x', { metadata: { generateName: 'c-' } }));
  expect(rejected).toMatchObject({
    code: 403,
    reason: 'Forbidden',
    message: 'configmaps "c-" is forbidden: unable to create new content in namespace x because it is being terminated',
    details: {
      name: 'c-',
      kind: 'configmaps',
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: 'namespace x is being terminated',
          field: 'metadata.namespace',
        },
      ],
    },
  });
  await expect(cluster.patch('configmaps/x/there', { data: { a: 'b' } })).resolves.toBeDefined();
});

test('the initial namespaces cannot be deleted', async () => {
  const cluster = await testCluster();
  for (const name of ['default', 'kube-system', 'kube-public']) {
    await cluster.create('namespaces', { metadata: { name } });
    const { message } = await cluster.refused(cluster.delete(`namespaces/${name}`));
    expect(message).toBe(`namespaces "${name}" is forbidden: this namespace may not be deleted`);
  }
});
