import { describe, expect, test } from 'vitest';
import type { Pod } from '../../kinds/pod/pod-spec.ts';
import { podOf } from '../chain.fixture.ts';
import { CALL_FAILED, hookWorld, INVALID_ANSWER, patch, CONFIG_MAPS as RULE } from './hook-server.fixture.ts';

const harness = hookWorld();
const { configure, create } = harness;

describe('a mutating webhook', () => {
  test('changes the object, which is then defaulted and pruned', async () => {
    harness.server.reply = () =>
      patch({ op: 'add', path: '/data', value: { hooked: 'yes' } }, { op: 'add', path: '/foo', value: 1 });
    await configure('mutating', [{}]);
    const made = await create();
    expect(made['data']).toEqual({ hooked: 'yes' });
    expect(made).not.toHaveProperty('foo');
    expect(harness.cluster.get('configmaps/x/c')).toEqual(made);
  });

  test.each<[message: string, response: object]>([
    [
      'Internal error occurred: add operation does not apply: doc is missing path: "/metadata/labels/x": missing value',
      patch({ op: 'add', path: '/metadata/labels/x', value: 'y' }),
    ],
    [
      "Internal error occurred: error in remove for path: '/nothere': Unable to remove nonexistent key: nothere: missing value",
      patch({ op: 'remove', path: '/nothere' }),
    ],
    [
      'Internal error occurred: testing value /metadata/name failed: test failed',
      patch({ op: 'test', path: '/metadata/name', value: 'zz' }),
    ],
    [
      'Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string',
      patch({ op: 'add', path: '/data', value: 1 }),
    ],
    [
      `${CALL_FAILED}received undecodable patch in webhook response: invalid character 'z' looking for beginning of value`,
      { patchType: 'JSONPatch', patch: Buffer.from('zzz').toString('base64') },
    ],
    [
      `${INVALID_ANSWER}webhook returned response.patch but not response.patchType`,
      { ...patch({ op: 'remove', path: '/data' }), patchType: undefined },
    ],
    [`${INVALID_ANSWER}webhook returned response.patchType but not response.patch`, { patchType: 'JSONPatch' }],
  ])('cannot apply an invalid patch: %s', async (message, response) => {
    harness.server.reply = () => response;
    await configure('mutating', [{}]);
    expect((await harness.cluster.refused(create())).message).toBe(message);
  });

  test('is called in the order of configurations and of webhooks in them', async () => {
    harness.server.reply = ({ request }, id) => {
      const { said = '' } = (request.object?.['data'] ?? {}) as { readonly said?: string };
      return patch({ op: 'add', path: '/data', value: { said: `${said}${id} ` } });
    };
    const at = (id: string) => ({
      clientConfig: { url: `https://localhost:${harness.server.port}/${id}`, caBundle: harness.server.caBundle },
    });
    await configure('mutating', [at('b1'), at('b2')], 'b');
    await configure('mutating', [at('a1')], 'a');
    expect((await create())['data']).toEqual({ said: 'a1 b1 b2 ' });
  });

  test('with reinvocation is called again after another one changed the object', async () => {
    harness.server.reply = ({ request }, id) => {
      const data = (request.object?.['data'] ?? {}) as Readonly<Record<string, string>>;
      const times = String(Number(data[id] ?? 0) + 1);
      return id === 'h2' ? {} : patch({ op: 'add', path: '/data', value: { ...data, [id]: times } });
    };
    const again = { reinvocationPolicy: 'IfNeeded' };
    await configure('mutating', [again, { reinvocationPolicy: 'Never' }, again]);
    expect((await create())['data']).toEqual({ h0: '2', h1: '1' });
    expect(harness.server.seen.map(({ path }) => path.slice(1, 3))).toEqual(['h0', 'h1', 'h2', 'h0', 'h2']);
  });

  test('can add a container, in which the service account token is mounted too', async () => {
    harness.server.reply = ({ request }) =>
      (request.object as Pod).spec.containers?.length === 1
        ? patch({ op: 'add', path: '/spec/containers/-', value: { name: 'mesh', image: 'm' } })
        : {};
    await configure('mutating', [{ rules: [{ ...RULE, resources: ['pods'] }] }]);
    const pod = (await harness.cluster.create('pods/x', podOf())) as Pod;
    expect(pod.spec.containers?.[1]?.volumeMounts).toHaveLength(1);
    expect(pod.spec.volumes).toHaveLength(1);
  });

  test('may reject a deletion', async () => {
    await create();
    harness.server.reply = () => ({ allowed: false, status: { message: 'keep it' } });
    await configure('mutating', [{}]);
    const { message } = await harness.cluster.refused(harness.cluster.delete('configmaps/x/c'));
    expect(message).toBe('admission webhook "h0.example.com" denied the request: keep it');
  });
});

test('validating webhooks see the changes of mutating ones, and cannot patch', async () => {
  harness.server.reply = (_review, id) => (id === 'h0' ? patch({ op: 'add', path: '/data', value: { a: 'b' } }) : {});
  await configure('mutating', [{}], 'm');
  await configure(
    'validating',
    [{ clientConfig: { url: `https://localhost:${harness.server.port}/v`, caBundle: harness.server.caBundle } }],
    'v',
  );
  await create();
  expect(harness.server.seen.at(-1)?.review.request.object?.['data']).toEqual({ a: 'b' });
  harness.server.reply = () => patch({ op: 'add', path: '/data', value: {} });
  expect((await harness.cluster.refused(create({ name: 'd' }))).message).toContain(
    'validating webhook may not return response.patch',
  );
});
