import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { fetchJson } from './fetch-json.ts';
import { providerServer } from './provider-server.fixture.ts';

const clock = new FakeClock({ start: 0 });
const asking = async (...args: Parameters<typeof providerServer>) => {
  const server = await providerServer(...args);
  onTestFinished(() => server.close());
  return { server, answer: fetchJson({ who: 'the grid', url: server.url, fetch, clock }, '/now') };
};

describe('a response of a provider', () => {
  it('that redirects is not followed', async () => {
    const { server, answer: response } = await asking(() => ({
      status: 302,
      headers: { location: '/elsewhere' },
      body: '',
    }));
    await expect(response).rejects.toThrow(/the grid cannot be reached/);
    expect(server.asked.map(({ path }) => path)).toEqual(['/now']);
  });

  it('that never ends is not read to its end', async () => {
    const { answer: response } = await asking(() => ({ body: `"${'x'.repeat(5 * 1024 * 1024)}"` }));
    await expect(response).rejects.toThrow('the grid returned more than 4194304 bytes');
  });

  it('is otherwise parsed as JSON', async () => {
    const { answer: response } = await asking(() => ({ body: { at: 'ü' } }));
    expect(await response).toEqual({ at: 'ü' });
  });
});
