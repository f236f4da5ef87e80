import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realClock } from '#platform/base/clock';
import { type Plane, startPlane } from '../apiextensions/plane.fixture.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const FUTURE = 1_000_000;
let plane: Plane;

beforeAll(async () => {
  plane = await startPlane();
  await plane.ask('POST', PATH, { metadata: { name: 'a' } });
});
afterAll(async () => {
  await plane.plane.stop();
});

const headers = () => ({ authorization: `Bearer ${plane.plane.adminToken}` });

describe('a read at a resource version', () => {
  test('in the future is rejected with Retry-After', async () => {
    const response = await fetch(`${plane.plane.url}${PATH}/a?resourceVersion=${FUTURE}`, { headers: headers() });
    const body = (await response.json()) as { message: string; details: { causes: object[] } };
    expect([response.status, response.headers.get('retry-after')]).toEqual([504, '1']);
    expect(body.message).toMatch(/^Timeout: Too large resource version: 1000000, current: \d+$/);
    expect(body.details.causes).toMatchObject([{ reason: 'ResourceVersionTooLarge' }]);
  });

  test.each([
    ['abc', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['99999999999999999999', 'value out of range'],
  ])('that is invalid is rejected: %s', async (text, why) => {
    const { code, body } = await plane.ask('GET', `${PATH}/a?resourceVersion=${text}`);
    const reported = `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${why}`;
    expect([code, body['message']]).toEqual([500, reported]);
    const list = await plane.ask('GET', `${PATH}?resourceVersion=${text}`);
    expect([list.code, list.body['message']]).toEqual([400, `invalid resource version: ${reported}`]);
    const watch = await plane.ask('GET', `${PATH}?watch=1&resourceVersion=${text}`);
    expect([watch.code, watch.body['message']]).toEqual([500, reported]);
  });

  test('in the past returns the current object', async () => {
    expect((await plane.ask('GET', `${PATH}/a?resourceVersion=1`)).code).toBe(200);
  });
});

test('a GET by name ignores the watch parameter', async () => {
  const { code, body } = await plane.ask('GET', `${PATH}/a?watch=1`);
  expect([code, body['kind']]).toEqual([200, 'ConfigMap']);
  expect((await plane.ask('GET', `${PATH}/none?watch=1`)).code).toBe(404);
});

describe('a watch from a future resource version', () => {
  test('sends nothing until that version is reached', async () => {
    const revision = plane.plane.backend.stores.main.revision + 3;
    const response = await fetch(`${plane.plane.url}${PATH}?watch=1&resourceVersion=${revision}`, {
      headers: headers(),
    });
    expect(response.status).toBe(200);
    let text = '';
    const read = (async () => {
      for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
    })();
    for (const name of ['s1', 's2', 's3', 's4', 's5']) await plane.ask('POST', PATH, { metadata: { name } });
    await plane.until(() => text.split('\n').length > 2);
    await realClock.sleep(50);
    const names = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name);
    expect(names).toEqual(['s4', 's5']);
    // It ends only with the server.
    read.catch(() => {});
  });

  test('that requests initial events ends with an error', async () => {
    const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const { code, body } = await plane.ask('GET', `${PATH}?watch=1&${initial}&resourceVersion=${FUTURE}`);
    expect([code, body['type'], body['object']]).toEqual([200, 'ERROR', expect.objectContaining({ code: 504 })]);
  });
});

describe('a user who may read an object by name', () => {
  const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const as = async (method: string, query: string) => {
    const all = { ...headers(), 'impersonate-user': 'bob' };
    return (await fetch(`${plane.plane.url}${PATH}?${query}`, { method, headers: all })).status;
  };
  beforeAll(async () => {
    const apiGroup = 'rbac.authorization.k8s.io';
    const verbs = ['get', 'list', 'watch', 'deletecollection'];
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs, resourceNames: ['a'] }];
    await plane.ask('POST', `${RBAC}/roles`, { metadata: { name: 'one' }, rules });
    const subjects = [{ kind: 'User', name: 'bob', apiGroup }];
    const roleRef = { kind: 'Role', name: 'one', apiGroup };
    await plane.ask('POST', `${RBAC}/rolebindings`, { metadata: { name: 'one' }, subjects, roleRef });
    await plane.until(async () => (await as('GET', 'fieldSelector=metadata.name=a')) === 200);
  });

  test('may list and watch it by that name, and nothing more', async () => {
    expect(await as('GET', 'fieldSelector=metadata.name%3Da&watch=1&timeoutSeconds=1')).toBe(200);
    for (const query of ['', 'fieldSelector=metadata.name=s1', 'fieldSelector=metadata.name!=a', 'watch=1']) {
      expect(await as('GET', query)).toBe(403);
    }
    expect(await as('DELETE', 'fieldSelector=metadata.name=a')).toBe(403);
  });

  test('may do so with an in-process client too', async () => {
    const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
    const bob = plane.plane.client({ name: 'bob', groups: ['system:authenticated'] }, 'test');
    const found = await bob.list(configMaps, { namespace: 'default', fieldSelector: 'metadata.name=a' });
    expect(found.items).toHaveLength(1);
    await expect(bob.list(configMaps, { namespace: 'default' })).rejects.toThrow('forbidden');
  });
});
