import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { type ProbeRequest, webImageProbe } from './image-probe.ts';

const url = 'https://images.example.org/debian.qcow2';
const { signal } = new AbortController();

function probing(answer: ProbeRequest) {
  const clock = new FakeClock({ start: 0 });
  return { clock, look: (source = url) => webImageProbe(answer, clock)(source, signal) };
}
const answering = (status: number, headers: Record<string, string> = {}) =>
  probing(async () => ({ status, headers: new Headers(headers), body: null })).look();

describe('an image on a web server', () => {
  it('is there, with its size where the server tells', async () => {
    expect(await answering(200, { 'content-length': '1024' })).toMatchObject({ status: 'True', bytes: 1024 });
    expect(await answering(200)).not.toHaveProperty('bytes');
  });

  it.each([
    [404, 'False', 'NotFound'],
    [403, 'False', 'Refused'],
    [405, 'Unknown', 'Unreachable'],
    [429, 'Unknown', 'Unreachable'],
    [503, 'Unknown', 'Unreachable'],
  ])('that answers %i is %s: %s', async (code, status, reason) => {
    expect(await answering(code)).toMatchObject({ status, reason, message: `${url} answers ${code}` });
  });

  it('is asked for by its first byte where the server does not say whether it is there', async () => {
    const questions: string[] = [];
    const { look } = probing(async (_url, { method, headers }) => {
      questions.push(`${method} ${headers['range'] ?? ''}`);
      return method === 'HEAD'
        ? { status: 405, headers: new Headers(), body: null }
        : { status: 206, headers: new Headers({ 'content-range': 'bytes 0-0/4096' }), body: null };
    });
    expect(await look()).toMatchObject({ status: 'True', bytes: 4096 });
    expect(questions).toEqual(['HEAD ', 'GET bytes=0-0']);
  });

  it('is told of without what is secret in its address', async () => {
    const { look } = probing(async () => ({ status: 200, headers: new Headers(), body: null }));
    const { message } = await look('https://ann:hidden@images.example.org/debian.qcow2?signature=hidden');
    expect(message).toBe('https://images.example.org/debian.qcow2?... is there');
  });

  it('cannot be asked for where nobody answers', async () => {
    const failed = new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND images.example.org') });
    const { look } = probing(() => Promise.reject(failed));
    expect(await look()).toEqual({
      status: 'Unknown',
      reason: 'Unreachable',
      message: `${url} cannot be asked: getaddrinfo ENOTFOUND images.example.org`,
    });
  });

  it('is not waited for without end', async () => {
    const { clock, look } = probing(
      (_url, options) =>
        new Promise((_, reject) => options.signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    const found = look();
    await clock.advance(10_000);
    expect(await found).toMatchObject({ status: 'Unknown', message: `${url} cannot be asked: no answer within 10 s` });
  });
});

it('images elsewhere are not looked for', async () => {
  const { look } = probing(() => Promise.reject(new Error('asked')));
  expect(await look('s3://images/debian.qcow2')).toMatchObject({ status: 'Unknown', reason: 'NotChecked' });
});
