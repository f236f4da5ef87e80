import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkedFetch, checkedLookup, type Resolve } from './checked-fetch.ts';
import { parseImageHosts } from './image-hosts.ts';
import { imageServer } from './image-server.fixture.ts';
import { webOf } from './web.ts';

let server: Awaited<ReturnType<typeof imageServer>>;
let port: string;
beforeAll(async () => {
  server = await imageServer();
  ({ port } = new URL(server.url));
});
afterAll(() => server.close());

const addressOf = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 });
const resolving =
  (...addresses: string[]): Resolve =>
  (_host, _options, found) =>
    found(null, addresses.map(addressOf));
const { signal } = new AbortController();
const get = (url: string, allowed: readonly string[] = [], resolve?: Resolve) =>
  webOf(checkedFetch(allowed, resolve))(url, { method: 'GET', headers: {}, signal }).catch((error: Error) => {
    throw (error.cause ?? error) as Error;
  });

describe('an image that is not at a public address', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '127.0.0.1.',
    '0.0.0.0',
    '0',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '10.0.0.1',
    'localhost',
  ])('is not requested from %s', async (host) => {
    const before = server.asked.length;
    await expect(get(`http://${host}:${port}/image`)).rejects.toThrow('its host is not a public address');
    expect(server.asked).toHaveLength(before);
  });

  it.each(['127.0.0.1', '::1', '10.1.2.3', '169.254.169.254', '::ffff:10.0.0.1', 'fe80::1%lo'])(
    'is not requested from a name that resolves to %s',
    async (address) => {
      const requested = get(`http://images.example.org:${port}/image`, [], resolving(address));
      await expect(requested).rejects.toThrow('its host is not a public address');
      await expect(requested).rejects.not.toThrow(address);
    },
  );

  it.each(['localhost.', 'LOCALHOST', 'a.localhost'])('is not requested from %s', async (host) => {
    const requested = get(`http://${host}:${port}/image`, ['localhost.example'], resolving('127.0.0.1'));
    await expect(requested).rejects.toThrow('its host is not a public address');
  });

  it('is not reached by a redirect', async () => {
    const allowed = ['images.example.org'];
    const resolve: Resolve = (host, options, found) =>
      host === 'images.example.org' || host === 'inside.example.org'
        ? resolving('127.0.0.1')(host, options, found)
        : found(new Error('no such name'), []);
    for (const to of [`http://127.0.0.1:${port}/image`, `http://inside.example.org:${port}/image`]) {
      server.moveTo(to);
      await expect(get(`http://images.example.org:${port}/away`, allowed, resolve)).rejects.toThrow(
        'its host is not a public address',
      );
    }
    server.moveTo(`http://images.example.org:${port}/image`);
    expect(await get(`http://images.example.org:${port}/away`, allowed, resolve)).toMatchObject({ status: 200 });
  });

  it.each([['127.0.0.1'], ['127.0.0.0/8'], ['10.0.0.0/8', '127.0.0.1']])(
    'is fetched where %s is allowed',
    async (...allowed) => {
      expect(await get(`${server.url}/image`, allowed)).toMatchObject({ status: 200 });
      expect(await get(`http://x.example:${port}/image`, allowed, resolving('127.0.0.1'))).toMatchObject({
        status: 200,
      });
    },
  );

  it.each(['images.example.org', '*.example.org'])('is fetched where the name %s is allowed', async (name) => {
    const url = (host: string) => `http://${host}:${port}/image`;
    expect(await get(url('IMAGES.example.org.'), [name], resolving('127.0.0.1'))).toMatchObject({ status: 200 });
    await expect(get(url('example.com'), [name], resolving('127.0.0.1'))).rejects.toThrow('not a public');
    await expect(get(url('127.0.0.1'), [name])).rejects.toThrow('not a public');
  });
});

describe('a name', () => {
  const found = (all: boolean, ...addresses: string[]) =>
    new Promise((resolve, reject) => {
      const look = checkedLookup(parseImageHosts([]), resolving(...addresses));
      look('a.example', { all }, (error, ...rest) => (error === null ? resolve(rest) : reject(error)));
    });

  it('leads to its public addresses alone', async () => {
    expect(await found(true, '127.0.0.1', '8.8.8.8', '::1', '2606:4700::1')).toEqual([
      [addressOf('8.8.8.8'), addressOf('2606:4700::1')],
    ]);
    expect(await found(false, '10.0.0.1', '8.8.8.8')).toEqual(['8.8.8.8', 4]);
    await expect(found(true, '10.0.0.1')).rejects.toThrow('not a public address');
    await expect(found(true)).rejects.toThrow('not a public address');
  });

  it('is resolved once for a connection', async () => {
    let times = 0;
    const resolve: Resolve = (_host, _options, done) => {
      times += 1;
      done(null, [addressOf(times === 1 ? '127.0.0.1' : '10.0.0.1')]);
    };
    expect(await get(`http://a.example:${port}/image`, ['127.0.0.1'], resolve)).toMatchObject({ status: 200 });
    expect(times).toBe(1);
  });

  it('that does not exist is reported', async () => {
    const resolve: Resolve = (_host, _options, done) => done(new Error('getaddrinfo ENOTFOUND a.example'), []);
    await expect(get('http://a.example/', [], resolve)).rejects.toThrow('ENOTFOUND');
  });
});
