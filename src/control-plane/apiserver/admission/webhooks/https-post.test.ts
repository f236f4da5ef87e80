import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { type HookServer, hookServer } from './hook-server.fixture.ts';
import { httpsPost } from './https-post.ts';
import { serverProblem } from './response.ts';

let server: HookServer;
const ending = new AbortController();
beforeAll(async () => {
  server = await hookServer();
});
afterAll(() => {
  ending.abort();
  server.close();
});

const post = () => {
  const origin = `https://127.0.0.1:${server.port}`;
  const ca = Buffer.from(server.caBundle, 'base64').toString();
  const destination = { url: `${origin}/hook`, origin, serverName: '127.0.0.1', ca };
  return httpsPost(realClock, ending.signal)(destination, '{}', 10, ending.signal);
};

describe('a webhook response', () => {
  it('that redirects is not followed, unlike in kube-apiserver', async () => {
    server.reply = () => ({ raw: 'elsewhere', status: 307, headers: { location: '/secret' } });
    expect(await post()).toEqual({ status: 307, text: 'elsewhere' });
    expect(server.seen.map(({ path }) => path)).toEqual(['/hook?timeout=10s']);
  });

  it('that is too large is not read to its end', async () => {
    server.reply = () => ({ raw: 'x'.repeat(17 * 1024 * 1024) });
    await expect(post()).rejects.toThrow('the response is larger than 16777216 bytes');
  });

  it('that is not a Status is quoted as far as Kubernetes clients quote it', () => {
    const long = `${'ü'.repeat(1024)}${'x'.repeat(5000)}`;
    expect(serverProblem(403, long, undefined)).toBe('ü'.repeat(1024));
    expect(serverProblem(500, long, undefined).length).toBeLessThan(1200);
    expect(serverProblem(403, ' no \n', undefined)).toBe('no');
  });
});
