import { describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { createMemoryLogger } from '#platform/base/logger';
import { IntensityCache } from './intensity-cache.ts';
import { CarbonError, type CarbonProvider } from './provider.ts';
import type { Slot } from './slot.ts';

const MINUTE = 60_000;
const REFRESH = 15 * MINUTE;

/** Provider whose responses the test controls, and that counts its requests. */
class Answers implements CarbonProvider {
  readonly name = 'answers';
  readonly asked: { readonly zone: string; readonly at: number }[] = [];
  intensity = 300;
  failure: Error | undefined;
  forecastFails = false;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async current(zone: string): Promise<Slot> {
    const at = this.#clock.now();
    this.asked.push({ zone, at });
    if (this.failure !== undefined) throw this.failure;
    return { from: at, to: at + 60 * MINUTE, intensity: this.intensity };
  }

  async forecast(): Promise<Slot[]> {
    if (this.forecastFails) throw new CarbonError('UNAUTHORIZED', 'the plan covers no forecast');
    const from = this.#clock.now() + 60 * MINUTE;
    return [{ from, to: from + 60 * MINUTE, intensity: 100 }];
  }

  zones = async () => [];
}

function started(refreshMs = REFRESH) {
  const clock = new FakeClock({ start: 1_000_000_000 });
  const provider = new Answers(clock);
  const log = createMemoryLogger(clock);
  const watch = new IntensityCache({ provider, clock, log, refreshMs });
  const heard: string[] = [];
  watch.onAnswer((zone) => heard.push(zone));
  const stop = new AbortController();
  const running = watch.run(stop.signal);
  return { clock, provider, watch, heard, log, end: () => (stop.abort(), running) };
}

describe('the intensity cache', () => {
  it('sends no request until a zone is needed', async () => {
    const { clock, provider, end } = started();
    await clock.advance(10 * REFRESH);
    expect(provider.asked).toEqual([]);
    await end();
  });

  it('sends one request for many readers, and notifies them', async () => {
    const { clock, provider, watch, heard, end } = started();
    for (let i = 0; i < 100; i++) expect(watch.reading('DE')).toMatchObject({ slots: [], requestedSince: clock.now() });
    await clock.advance(1);
    expect(provider.asked).toHaveLength(1);
    expect(heard).toEqual(['DE']);
    expect(watch.reading('DE').slots.map(({ intensity }) => intensity)).toEqual([300, 100]);
    expect(watch.reading('DE').requestedSince).toBeUndefined();
    await end();
  });

  it('sends another request after a refresh, and none when no reader is left', async () => {
    const { clock, provider, watch, end } = started();
    watch.reading('DE');
    await clock.advance(REFRESH + 1);
    expect(provider.asked).toHaveLength(2);
    await clock.advance(20 * REFRESH);
    expect(provider.asked).toHaveLength(3);
    expect([...watch.known()]).toEqual([]);
    await end();
  });

  it('sends one request at a time, a second apart', async () => {
    const { clock, provider, watch, end } = started();
    for (const zone of ['DE', 'FR', 'SE']) watch.reading(zone);
    await clock.advance(5_000);
    const [first, ...others] = provider.asked.map(({ at }) => at);
    expect(others).toEqual([first! + 1_000, first! + 2_000]);
    await end();
  });

  it('retries with increasing delays, reports why, and keeps the last values', async () => {
    const { clock, provider, watch, heard, end } = started();
    watch.reading('DE');
    await clock.advance(1);
    provider.failure = new CarbonError('UNREACHABLE', 'nobody is there');
    await clock.advance(REFRESH);
    expect(watch.reading('DE')).toMatchObject({ problem: 'nobody is there', slots: [{ intensity: 300 }, {}] });
    const before = provider.asked.length;
    for (let i = 0; i < 16; i++) {
      await clock.advance(REFRESH / 15);
      watch.reading('DE');
    }
    // The retries follow after one, two, four and eight minutes.
    expect(provider.asked.length - before).toBe(4);
    expect(heard.length).toBe(provider.asked.length);
    provider.failure = undefined;
    await clock.advance(2 * REFRESH);
    expect(watch.reading('DE').problem).toBeUndefined();
    await end();
  });

  it('sends no more requests for a zone that a VM waits for, however short the refresh', async () => {
    const { clock, provider, watch, end } = started(MINUTE);
    provider.failure = new CarbonError('UNREADABLE', 'there is no such file');
    watch.onAnswer((zone) => void watch.reading(zone));
    watch.reading('DE');
    await clock.advance(60 * MINUTE);
    // The first retry follows after a minute, and then one every two.
    expect(provider.asked.length).toBeLessThanOrEqual(31);
    expect(provider.asked.length).toBeGreaterThanOrEqual(29);
    expect(watch.reading('DE').requestedSince).toBeUndefined();
    await end();
  });

  it('logs the message of a provider, and the whole of an unexpected error', async () => {
    const { clock, provider, watch, log, end } = started();
    provider.failure = new CarbonError('UNREADABLE', 'the ConfigMap is no YAML');
    watch.reading('DE');
    await clock.advance(1);
    provider.failure = new TypeError('a mistake');
    watch.reading('FR');
    await clock.advance(2000);
    const where = (zone: string) => ({ zone, provider: 'answers' });
    expect(log.entries.map(({ level, fields }) => [level, fields])).toEqual([
      ['warn', { ...where('DE'), problem: 'the ConfigMap is no YAML' }],
      ['warn', { ...where('FR'), err: expect.objectContaining({ message: 'a mistake' }) as unknown }],
    ]);
    await end();
  });

  it('waits as long as a busy provider requests', async () => {
    const { clock, provider, watch, end } = started();
    provider.failure = new CarbonError('BUSY', 'too many requests', { retryAfterMs: 10 * MINUTE });
    watch.reading('DE');
    await clock.advance(10 * MINUTE - 1);
    expect(provider.asked).toHaveLength(1);
    await clock.advance(2);
    expect(provider.asked).toHaveLength(2);
    await end();
  });

  it('uses the current intensity if there is no forecast', async () => {
    const { clock, provider, watch, end } = started();
    provider.forecastFails = true;
    watch.reading('DE');
    await clock.advance(1);
    expect(watch.reading('DE')).toEqual({ slots: [expect.objectContaining({ intensity: 300 })] });
    await end();
  });

  it('sends a request at once when it is notified of a change', async () => {
    const { clock, provider, watch, end } = started();
    watch.reading('DE');
    await clock.advance(2_000);
    provider.intensity = 42;
    watch.refresh();
    await clock.advance(1);
    expect(watch.reading('DE').slots[0]?.intensity).toBe(42);
    await end();
  });
});
