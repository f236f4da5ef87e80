import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { loopbackServer } from '#testing/loopback-server';
import { checkedFetch } from './checked-fetch.ts';
import { proxyFor } from './proxy.ts';

const PROXY = 'http://proxy.example:3128';

describe('the proxy of an address', () => {
  it.each([
    ['https://a.example/x', { HTTPS_PROXY: PROXY }, PROXY],
    ['https://a.example/x', { https_proxy: 'proxy.example:3128' }, PROXY],
    ['http://a.example/x', { HTTPS_PROXY: PROXY }, undefined],
    ['http://a.example/x', { http_proxy: PROXY }, PROXY],
    ['https://a.example/x', { HTTPS_PROXY: PROXY, NO_PROXY: 'example' }, undefined],
    ['https://a.example/x', { HTTPS_PROXY: PROXY, NO_PROXY: '.example' }, undefined],
    ['https://a.example/x', { HTTPS_PROXY: PROXY, NO_PROXY: 'b.example, *.a.example' }, undefined],
    ['https://aa.example/x', { HTTPS_PROXY: PROXY, NO_PROXY: 'a.example' }, PROXY],
    ['https://a.example/x', { HTTPS_PROXY: PROXY, no_proxy: '*' }, undefined],
    ['https://a.example:8443/x', { HTTPS_PROXY: PROXY, NO_PROXY: 'a.example:443' }, PROXY],
    ['https://10.1.2.3/x', { HTTPS_PROXY: PROXY, NO_PROXY: '10.0.0.0/8' }, undefined],
    ['https://[::1]/x', { HTTPS_PROXY: PROXY, NO_PROXY: '::1' }, undefined],
    ['https://a.example/x', { HTTPS_PROXY: '' }, undefined],
  ])('%s with %j is %s', (url, environment, proxy) => {
    expect(proxyFor(new URL(url), environment)).toBe(proxy);
  });
});

describe('a fetch through a proxy', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** Starts a proxy that sends everything to one server, and records what it was asked for. */
  async function startProxy(target: string) {
    const requests: string[] = [];
    const proxy = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      const { hostname, port } = new URL(target);
      const socket = connect(Number(port), hostname, () => {
        socket.write(`GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      });
      void text(socket).then((all) => response.end(all.split('\r\n\r\n')[1]));
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    closing.push(async () => {
      proxy.closeAllConnections();
      proxy.close();
    });
    return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, requests };
  }

  it('asks the proxy, which resolves names, but never for addresses that are not public', async () => {
    const server = await loopbackServer((_request, response) => response.end('an image'));
    closing.push(() => server.close());
    const proxy = await startProxy(server.url);
    const fetch = checkedFetch([], undefined, { proxyFor: () => proxy.url });
    const options = { method: 'GET', headers: {}, signal: new AbortController().signal, redirect: 'manual' } as const;
    const { status, body } = await fetch('http://images.invalid/a', options);
    expect(status).toBe(200);
    expect(body === null ? '' : await text(body)).toBe('an image');
    expect(proxy.requests).toEqual(['GET http://images.invalid/a']);
    for (const host of ['127.0.0.1', '169.254.169.254', 'localhost', 'a.localhost']) {
      await expect(fetch(`http://${host}/a`, options)).rejects.toThrow('not a public address');
    }
    expect(proxy.requests).toHaveLength(1);
  });
});
