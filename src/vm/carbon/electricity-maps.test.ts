import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { electricityMaps } from './electricity-maps.ts';
import { providerContract } from './provider.contract.ts';
import type { CarbonError } from './provider.ts';
import { type PlannedResponse, providerServer, type ReceivedRequest } from './provider-server.fixture.ts';

const NOW = Date.parse('2026-11-16T10:20:00Z');
const TOKEN = 'a-token-that-nobody-may-read';
const clock = new FakeClock({ start: NOW });

/** Responds like version 3 of the API. */
function speaks({ path, headers }: ReceivedRequest): PlannedResponse {
  if (path === '/v3/zones') {
    return {
      body: {
        SE: { zoneName: 'Sweden' },
        'DK-DK1': { countryName: 'Denmark', zoneName: 'West Denmark' },
        DE: { zoneName: 'Germany' },
      },
    };
  }
  if (headers['auth-token'] !== TOKEN) return { status: 401, body: { message: 'Invalid auth-token' } };
  const url = new URL(path, 'http://x');
  const zone = url.searchParams.get('zone');
  if (zone !== 'DE') return { status: 404, body: { message: `Zone ${zone} does not exist` } };
  if (url.pathname === '/v3/carbon-intensity/latest') {
    return {
      body: {
        zone,
        carbonIntensity: 302,
        datetime: '2026-11-16T10:00:00.000Z',
        updatedAt: '2026-11-16T10:07:31.002Z',
        createdAt: '2026-11-13T10:59:12.001Z',
        emissionFactorType: 'lifecycle',
        isEstimated: true,
        estimationMethod: 'TIME_SLICER_AVERAGE',
      },
    };
  }
  if (url.pathname !== '/v3/carbon-intensity/forecast') return { status: 404, body: 'Not found' };
  return {
    body: {
      zone,
      forecast: [
        { carbonIntensity: 310, datetime: '2026-11-16T11:00:00.000Z' },
        { carbonIntensity: 188.5, datetime: '2026-11-16T12:00:00.000Z' },
      ],
      updatedAt: '2026-11-16T10:07:31.002Z',
    },
  };
}

let response: (requested: ReceivedRequest) => PlannedResponse = speaks;
let server: Awaited<ReturnType<typeof providerServer>>;
const open = (token = TOKEN) => electricityMaps({ url: server.url, token, fetch, clock });

beforeEach(async () => {
  response = speaks;
  server = await providerServer((requested) => response(requested));
});
afterEach(() => server.close());

providerContract('Electricity Maps', () => ({ provider: open(), zone: 'DE', unknown: 'XX', now: NOW }));

describe('Electricity Maps', () => {
  it('receives requests of its documented form, with the token in its own header', async () => {
    const provider = open();
    expect(await provider.current('DE')).toEqual({
      from: Date.parse('2026-11-16T10:00:00Z'),
      to: Date.parse('2026-11-16T11:00:00Z'),
      intensity: 302,
    });
    expect((await provider.forecast('DE')).map(({ intensity }) => intensity)).toEqual([310, 188.5]);
    expect(server.asked.map(({ path }) => path)).toEqual([
      '/v3/carbon-intensity/latest?zone=DE',
      '/v3/carbon-intensity/forecast?zone=DE',
    ]);
    expect(server.asked[0]?.headers['auth-token']).toBe(TOKEN);
  });

  it('names parts of a country with the country', async () => {
    expect(await open().zones()).toEqual([
      { zone: 'DE', name: 'Germany' },
      { zone: 'DK-DK1', name: 'Denmark: West Denmark' },
      { zone: 'SE', name: 'Sweden' },
    ]);
  });

  it('escapes every character of a zone in the request', async () => {
    await open()
      .current('DE&zone=FR')
      .catch(() => {});
    expect(server.asked[0]?.path).toBe('/v3/carbon-intensity/latest?zone=DE%26zone%3DFR');
  });

  it.each<[string, PlannedResponse, CarbonError['code'], string]>([
    [
      'an invalid token',
      { status: 401, body: { message: 'Invalid auth-token' } },
      'UNAUTHORIZED',
      'Invalid auth-token',
    ],
    ['too many requests', { status: 429, headers: { 'retry-after': '90' }, body: '' }, 'BUSY', '429'],
    ['an internal error', { status: 500, body: 'boom' }, 'UNREADABLE', 'boom'],
    ['an HTML page', { body: '<html>' }, 'UNREADABLE', 'invalid JSON'],
    [
      'a missing value',
      { body: { zone: 'DE', carbonIntensity: null, datetime: '2026-11-16T10:00:00Z' } },
      'UNREADABLE',
      'null',
    ],
    ['a missing time', { body: { zone: 'DE', carbonIntensity: 1, datetime: 'soon' } }, 'UNREADABLE', 'datetime'],
    ['a list', { body: [] }, 'UNREADABLE', 'an object'],
  ])('names the failure %s, and never reveals the token', async (_what, said, code, words) => {
    response = () => said;
    const failure = (await open()
      .current('DE')
      .catch((error: unknown) => error)) as CarbonError;
    expect(failure).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(JSON.stringify([failure, failure.message, failure.stack])).not.toContain(TOKEN);
    if (code === 'BUSY') expect(failure.retryAfterMs).toBe(90_000);
  });

  it('reports that there is no response', async () => {
    // Nothing listens on this port, while a port that was just released may be used by another test.
    const provider = electricityMaps({ url: 'http://127.0.0.1:2', token: TOKEN, fetch, clock });
    await expect(provider.current('DE')).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('does not follow redirects, which would receive the token', async () => {
    const other = await providerServer(speaks);
    response = ({ path }) => ({ status: 302, headers: { location: `${other.url}${path}` }, body: '' });
    await expect(open().current('DE')).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(other.asked).toEqual([]);
    await other.close();
  });

  it('times out without a response', async () => {
    const waits = new FakeClock({ start: NOW });
    const silent = electricityMaps({
      token: TOKEN,
      clock: waits,
      fetch: (_url, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    });
    const failure = silent.current('DE').catch((error: unknown) => error);
    await waits.advance(20_000);
    expect(await failure).toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('within 20s') });
  });
});
