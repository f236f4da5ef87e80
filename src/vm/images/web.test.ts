import { describe, expect, it } from 'vitest';
import { type ImageFetch, webOf } from './web.ts';

const { signal } = new AbortController();

/** Fakes servers that respond by URL: with a status, or with a redirect. */
function servers(answers: Record<string, number | string>) {
  const requested: string[] = [];
  const fetch: ImageFetch = async (url, { headers }) => {
    requested.push([url, ...(headers['authorization'] === undefined ? [] : [headers['authorization']])].join(' '));
    const response = answers[url] ?? 404;
    return typeof response === 'number'
      ? { status: response, headers: new Headers(), body: null }
      : { status: 302, headers: new Headers({ location: response }), body: null };
  };
  return { asked: requested, get: (url: string) => webOf(fetch)(url, { method: 'GET', headers: {}, signal }) };
}

describe('a redirect', () => {
  it('is followed, also to a path', async () => {
    const { get, asked: requested } = servers({
      'http://a.example/1': '/2',
      'http://a.example/2': 'https://b.example/3',
      'https://b.example/3': 200,
    });
    expect(await get('http://a.example/1')).toMatchObject({ status: 200 });
    expect(requested).toEqual(['http://a.example/1', 'http://a.example/2', 'https://b.example/3']);
  });

  it('is followed five times, and no more', async () => {
    const chain = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, i) => [`http://a.example/${i}`, `http://a.example/${i + 1}`]));
    const { get } = servers({ ...chain(5), 'http://a.example/5': 200 });
    expect(await get('http://a.example/0')).toMatchObject({ status: 200 });
    await expect(servers(chain(6)).get('http://a.example/0')).rejects.toThrow('it redirects more than 5 times');
  });

  it.each(['file:///etc/passwd', 'http://'])('is not followed to %s', async (to) => {
    await expect(servers({ 'http://a.example/1': to }).get('http://a.example/1')).rejects.toThrow('an invalid URL');
  });
});

describe('a password in an address', () => {
  const ann = `Basic ${Buffer.from('ann:a b').toString('base64')}`;

  it('is given to the server of that address, and to no other', async () => {
    const { get, asked: requested } = servers({
      'http://a.example/1': '/2',
      'http://a.example/2': 'http://b.example/3',
    });
    await get('http://ann:a%20b@a.example/1');
    expect(requested).toEqual([`http://a.example/1 ${ann}`, `http://a.example/2 ${ann}`, 'http://b.example/3']);
  });

  it('is kept literally if it is no escape', async () => {
    const { get, asked: requested } = servers({});
    await get('http://ann:100%@a.example/1');
    expect(requested).toEqual([`http://a.example/1 Basic ${Buffer.from('ann:100%').toString('base64')}`]);
  });
});
