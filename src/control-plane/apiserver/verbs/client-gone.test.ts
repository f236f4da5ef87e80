import { describe, expect, test } from 'vitest';
import { AUTHENTICATED, type User } from '../access/user.ts';
import { type Cluster, testCluster } from '../admission/chain.fixture.ts';
import { clientGone } from '../api-error.ts';
import type { Backend } from '../backend.ts';
import type { RequestContext } from '../request-context.ts';
import type { Resource } from '../resource.ts';
import { createObject } from './create.ts';
import { applyObject, MERGE_PATCH, patchObject } from './patch.ts';
import { updateObject } from './update.ts';

const ann: User = { name: 'ann', groups: [AUTHENTICATED, 'system:masters'] };
const data = { text: 'x'.repeat(100_000) };
const configMap = () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { ...data } });
const call = (): RequestContext => ({
  user: ann,
  fieldManager: 'test',
  dryRun: false,
  fieldValidation: 'Strict',
  warnings: [],
  signal: new AbortController().signal,
  size: 100_000,
});

type Write = (backend: Backend, resource: Resource) => Promise<unknown>;
const target = (resource: Resource) => ({ resource, namespace: 'x', name: 'a', subresource: '' });

const WRITES: readonly (readonly [string, Write, object | undefined])[] = [
  ['a create', (backend, resource) => createObject(backend, resource, 'x', configMap(), call()), undefined],
  ['an update', (backend, resource) => updateObject(backend, target(resource), configMap(), call()), { data: {} }],
  [
    'a patch',
    (backend, resource) => patchObject(backend, target(resource), MERGE_PATCH, { data: { ...data } }, call()),
    { data: {} },
  ],
  ['an apply', (backend, resource) => applyObject(backend, target(resource), configMap(), false, call()), undefined],
];

/** Creates a cluster whose client is gone after that many announcements of work. */
async function leftAfter(announcements: number): Promise<{ cluster: Cluster; backend: Backend; resource: Resource }> {
  const cluster = await testCluster();
  let left = announcements;
  const spend = (): undefined => {
    if (left-- <= 0) throw clientGone();
  };
  const resource = cluster.backend.registry.find('', 'v1', 'configmaps');
  if (resource === undefined) throw new Error('no ConfigMaps');
  return { cluster, backend: { ...cluster.backend, thread: { spend } }, resource };
}

describe('a large write whose client has disconnected', () => {
  test.each(WRITES)('stops at the next check before it is stored: %s', async (_title, write, before) => {
    let stops = 0;
    for (let done = false; !done; ) {
      const { cluster, backend, resource } = await leftAfter(stops);
      if (before !== undefined) await cluster.plant('configmaps/x/a', before);
      const revision = backend.stores.main.revision;
      done = await write(backend, resource).then(
        () => true,
        (error: Error) => {
          expect(error.message).toBe('the client disconnected');
          return false;
        },
      );
      if (done) {
        expect(cluster.get('configmaps/x/a')).toMatchObject({ data });
      } else {
        expect(backend.stores.main.revision).toBe(revision);
        stops++;
      }
    }
    expect(stops).toBeGreaterThan(2);
  });
});
