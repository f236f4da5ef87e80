import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { AttackedServer } from './fuzz/attacked-server.ts';
import { campaign, overHttp1 } from './fuzz/campaign.ts';
import { RAW_ATTACKS } from './fuzz/raw-attacks.ts';

/** Another seed sends other requests: VIMANA_FUZZ_SEED=anything. */
const SEED = process.env['VIMANA_FUZZ_SEED'] ?? 'vimana';
/** test/long sends a hundred batches. */
const BATCHES = 4;
const REQUESTS_A_BATCH = 1_100;
const MAX_MEMORY_MIB = 2000;

let server: AttackedServer;

beforeAll(async () => {
  server = await AttackedServer.start();
});
afterAll(() => server.stop());

/** Checks that the server is alive, has logged no fault, and serves as before. */
async function expectWell(): Promise<void> {
  const { faults, polluted, rssMiB } = await server.health();
  expect(faults, `seed ${SEED}`).toEqual([]);
  expect(polluted, `seed ${SEED}`).toEqual([]);
  expect(rssMiB, `seed ${SEED}`).toBeLessThan(MAX_MEMORY_MIB);
  const { ask, end } = overHttp1(server.port);
  expect(await ask({ method: 'GET', target: '/readyz', headers: [], body: Buffer.alloc(0) })).toMatchObject({
    status: 200,
    body: 'ok',
  });
  end();
}

for (let batch = 0; batch < BATCHES; batch++) {
  const protocol = batch % 3 === 2 ? 'HTTP/2' : 'HTTP/1.1';
  it(`responds to invalid requests with a Status: batch ${batch} over ${protocol}`, async () => {
    const random = seededRandom(`${SEED} ${batch}`);
    const { problems, answered, closed, statuses } = await campaign(server, random, protocol, REQUESTS_A_BATCH);
    expect(problems, `seed ${SEED}`).toEqual([]);
    // Most requests get a response, with statuses of every kind, which shows that the attack reaches its targets.
    expect(answered + closed).toBe(REQUESTS_A_BATCH);
    expect(closed).toBeLessThan(REQUESTS_A_BATCH / 10);
    for (const status of [200, 201, 400, 404, 405, 409, 422]) expect(statuses.get(status) ?? 0).toBeGreaterThan(0);
    await expectWell();
  });
}

it('serves others on an HTTP/2 session beside a large response that is not read', async () => {
  const authorization = `Bearer ${server.token}`;
  const collection = '/api/v1/namespaces/default/configmaps';
  const { ask, end } = overHttp1(server.port);
  const send = async (method: string, object: object) => {
    const body = Buffer.from(JSON.stringify(object));
    return await ask({ method, target: collection, headers: [['authorization', authorization]], body });
  };
  for (let i = 0; i < 40; i++) {
    const large = { metadata: { name: `large-${i}` }, data: { a: 'x'.repeat(900_000) } };
    expect(await send('POST', large)).toMatchObject({ status: 201 });
  }
  const session = connect(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
  await once(session.request({ ':path': collection, authorization }), 'response');
  const beside = session.request({ ':path': '/api/v1/namespaces/default', authorization });
  expect((await once(beside, 'response'))[0]).toMatchObject({ ':status': 200 });
  session.destroy();
  expect(await send('DELETE', {})).toMatchObject({ status: 200 });
  end();
  await expectWell();
});

it.each(Object.entries(RAW_ATTACKS))('continues to serve after %s', async (_name, attack) => {
  const random = seededRandom(SEED);
  for (let times = 0; times < 5; times++) await attack(server.port, server.token, random);
  await expectWell();
});
