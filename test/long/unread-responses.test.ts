import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { AttackedServer } from '../fuzz/attacked-server.ts';
import { overHttp1 } from '../fuzz/campaign.ts';
import { Http1Connection } from '../fuzz/http1-connection.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const OBJECTS = 40;
const SIZE = 900_000;
const REQUESTS = 150;
/** A single response is 36 MB, and all of them would be 5 GB. */
const MAX_GROWTH_MIB = 400;
const TIMEOUT = 60_000;

let server: AttackedServer;
beforeAll(async () => {
  server = await AttackedServer.start();
  const { ask, end } = overHttp1(server.port);
  const headers = [['authorization', `Bearer ${server.token}`]] as const;
  for (let i = 0; i < OBJECTS; i++) {
    const body = Buffer.from(JSON.stringify({ metadata: { name: `large-${i}` }, data: { a: 'x'.repeat(SIZE) } }));
    expect(await ask({ method: 'POST', target: PATH, headers, body })).toMatchObject({ status: 201 });
  }
  end();
}, TIMEOUT);
afterAll(() => server.stop());

const WAYS: readonly (readonly [string, string, string])[] = [
  ['lists', '', 'application/json'],
  ['lists as YAML', '', 'application/yaml'],
  ['indented lists', '?pretty=true', 'application/json'],
  ['tables with their objects', '?includeObject=Object', 'application/json;as=Table;g=meta.k8s.io;v=v1'],
  ['watches', '?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan', 'application/json'],
];

/** Half of the responses are compressed. */
const encodingOf = (i: number) => (i % 2 === 0 ? 'gzip' : 'identity');

/**
 * Returns how much the memory of the server grows while `REQUESTS` responses are not read. It must still serve others.
 */
async function growth(attack: () => Promise<() => void>): Promise<number> {
  const { rssMiB: before } = await server.health();
  const end = await attack();
  let most = 0;
  for (let i = 0; i < 5; i++) {
    await realClock.sleep(150);
    most = Math.max(most, (await server.health()).rssMiB);
  }
  const { ask, end: close } = overHttp1(server.port);
  expect(await ask({ method: 'GET', target: '/readyz', headers: [], body: Buffer.alloc(0) })).toMatchObject({
    body: 'ok',
  });
  close();
  end();
  return most - before;
}

it.each(WAYS)(
  'buffers little of %s that is not read over HTTP/2',
  { timeout: TIMEOUT },
  async (_name, query, accept) => {
    const grown = await growth(async () => {
      const session = connect(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
      session.on('error', () => {});
      await once(session, 'connect');
      for (let i = 0; i < REQUESTS; i++) {
        const headers = { authorization: `Bearer ${server.token}`, accept, 'accept-encoding': encodingOf(i) };
        const stream = session.request({ ':path': `${PATH}${query}`, ...headers });
        stream.on('error', () => {});
      }
      return () => session.destroy();
    });
    expect(grown).toBeLessThan(MAX_GROWTH_MIB);
  },
);

it.each(WAYS)(
  'buffers little of %s that is not read over HTTP/1.1',
  { timeout: TIMEOUT },
  async (_name, query, accept) => {
    const grown = await growth(async () => {
      const connection = await Http1Connection.open(server.port);
      connection.socket.pause();
      const head = `host: x\r\nauthorization: Bearer ${server.token}\r\naccept: ${accept}\r\n\r\n`;
      connection.write(Buffer.from(`GET ${PATH}${query} HTTP/1.1\r\n${head}`.repeat(REQUESTS)));
      return () => connection.close();
    });
    expect(grown).toBeLessThan(MAX_GROWTH_MIB);
  },
);
