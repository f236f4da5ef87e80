import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { seededRandom } from '#platform/base/random';
import { encodeUtf8 } from '../../base/bytes.ts';
import { CONFIG_MAPS } from '../kinds/core.ts';
import { KubeError } from '../kube-error.ts';
import type { Wire, WireResponse } from './wire.ts';
import { clientOver } from './wire-client.ts';

function clientFor(wire: Partial<Wire>) {
  const silent: Wire = {
    send: () => Promise.reject(new Error('unexpected')),
    stream: () => Promise.reject(new Error('unexpected')),
  };
  return clientOver({ ...silent, ...wire }, { clock: new FakeClock(), random: seededRandom(1) });
}

/** Returns the error with which a watch ends after an ERROR event. */
async function watchError(object: object): Promise<KubeError> {
  async function* body() {
    yield encodeUtf8(`${JSON.stringify({ type: 'ERROR', object })}\n`);
  }
  const client = clientFor({ stream: () => Promise.resolve(body()) });
  try {
    for await (const _ of client.watch(CONFIG_MAPS, { namespace: 'default' }));
  } catch (error) {
    if (error instanceof KubeError) return error;
    throw error;
  }
  throw new Error('the watch did not fail');
}

describe('an ERROR event of a watch', () => {
  it('becomes an error with its code, reason and message', async () => {
    const { code, reason, message } = await watchError({ code: 410, reason: 'Expired', message: 'too old' });
    expect([code, reason, message]).toEqual([410, 'Expired', 'too old']);
  });

  it('without details becomes an internal error', async () => {
    const { code, reason, message } = await watchError({});
    expect([code, reason, message]).toEqual([500, '', 'the watch failed']);
  });
});

describe('a response', () => {
  const bodyOf = async (response: WireResponse) => {
    const client = clientFor({ send: () => Promise.resolve(response) });
    return (await client.request({ method: 'GET', path: '/version' })).body;
  };

  it.each([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/json; charset=utf-8', '{"a":1}', { a: 1 }],
    ['text/plain', '{"a":1}', '{"a":1}'],
    ['application/json', '', undefined],
  ])('of type %s with %j has the body %j', async (type, text, body) => {
    expect(await bodyOf({ status: 200, type, text })).toEqual(body);
  });
});
