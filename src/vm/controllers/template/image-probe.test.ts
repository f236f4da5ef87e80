import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { type ProbeRequest, webImageProbe } from './image-probe.ts';

const url = 'https://images.example.org/debian.qcow2';
const { signal } = new AbortController();

function probing(response: ProbeRequest) {
  const clock = new FakeClock({ start: 0 });
  return { clock, look: (source = url) => webImageProbe(response, clock)(source, signal) };
}
const answering = (status: number, headers: Record<string, string> = {}) =>
  probing(async () => ({ status, headers: new Headers(headers), body: null })).look();

describe('an image on a web server', () => {
  it('is available, with its size if the server reports it', async () => {
    expect(await answering(200, { 'content-length': '1024' })).toMatchObject({ status: 'True', bytes: 1024 });
    expect(await answering(200)).not.toHaveProperty('bytes');
  });

  it.each([
    [404, 'False', 'NotFound'],
    [403, 'False', 'Refused'],
    [405, 'Unknown', 'Unreachable'],
    [429, 'Unknown', 'Unreachable'],
    [503, 'Unknown', 'Unreachable'],
  ])('with status %i is %s: %s', async (code, status, reason) => {
    expect(await answering(code)).toMatchObject({ status, reason, message: `${url} returned ${code}` });
  });

  it('is requested by its first byte if the server does not support HEAD', async () => {
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

  it('is reported without secrets in its URL', async () => {
    const { look } = probing(async () => ({ status: 200, headers: new Headers(), body: null }));
    const { message } = await look('https://ann:hidden@images.example.org/debian.qcow2?signature=hidden');
    expect(message).toBe('https://images.example.org/debian.qcow2?... is available');
  });

  it('is unreachable if no server responds', async () => {
    const failed = new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND images.example.org') });
    const { look } = probing(() => Promise.reject(failed));
    expect(await look()).toEqual({
      status: 'Unknown',
      reason: 'Unreachable',
      message: `${url} cannot be reached: getaddrinfo ENOTFOUND images.example.org`,
    });
  });

  it('has a timeout', async () => {
    const { clock, look } = probing(
      (_url, options) =>
        new Promise((_, reject) => options.signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    const found = look();
    await clock.advance(10_000);
    expect(await found).toMatchObject({
      status: 'Unknown',
      message: `${url} cannot be reached: no response within 10s`,
    });
  });
});

it('other images are not checked', async () => {
  const { look } = probing(() => Promise.reject(new Error('asked')));
  expect(await look('s3://images/debian.qcow2')).toMatchObject({ status: 'Unknown', reason: 'NotChecked' });
});
