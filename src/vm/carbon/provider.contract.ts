import { describe, expect, it } from 'vitest';
import { CarbonError, type CarbonProvider } from './provider.ts';

export interface ProviderCase {
  readonly provider: CarbonProvider;
  /** Zone that the provider knows. */
  readonly zone: string;
  /** Zone that the provider does not know. */
  readonly unknown: string;
  readonly now: number;
}

/** Tests the contract that every provider meets. */
export function providerContract(name: string, open: () => ProviderCase): void {
  describe(`${name} as a provider of carbon intensities`, () => {
    it('knows how it is now', async () => {
      const { provider, zone, now } = open();
      const { from, to, intensity } = await provider.current(zone);
      expect(intensity).toBeGreaterThanOrEqual(0);
      expect(from).toBeLessThanOrEqual(now);
      expect(to).toBeGreaterThan(from);
    });

    it('foretells in order of time, and up to a time to come', async () => {
      const { provider, zone, now } = open();
      const slots = await provider.forecast(zone);
      expect(slots.length).toBeGreaterThan(0);
      expect(slots.map(({ from }) => from)).toEqual(slots.map(({ from }) => from).toSorted((a, b) => a - b));
      expect(slots.at(-1)?.to).toBeGreaterThan(now);
    });

    it('names its zones, the one that it was asked for among them', async () => {
      const { provider, zone } = open();
      const zones = await provider.zones();
      expect(zones.map((each) => each.zone)).toContain(zone);
      expect(zones.every((each) => each.name !== '')).toBe(true);
    });

    it('refuses a zone that it does not know', async () => {
      const { provider, unknown } = open();
      const failure = await provider.current(unknown).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(CarbonError);
      expect((failure as CarbonError).code).toBe('UNKNOWN_ZONE');
    });
  });
}
