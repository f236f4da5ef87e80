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
    it('returns the current intensity', async () => {
      const { provider, zone, now } = open();
      const { from, to, intensity } = await provider.current(zone);
      expect(intensity).toBeGreaterThanOrEqual(0);
      expect(from).toBeLessThanOrEqual(now);
      expect(to).toBeGreaterThan(from);
    });

    it('returns a forecast in order of time, which ends in the future', async () => {
      const { provider, zone, now } = open();
      const slots = await provider.forecast(zone);
      expect(slots.length).toBeGreaterThan(0);
      expect(slots.map(({ from }) => from)).toEqual(slots.map(({ from }) => from).toSorted((a, b) => a - b));
      expect(slots.at(-1)?.to).toBeGreaterThan(now);
    });

    it('lists its zones, including the requested one', async () => {
      const { provider, zone } = open();
      const zones = await provider.zones();
      expect(zones.map((each) => each.zone)).toContain(zone);
      expect(zones.every((each) => each.name !== '')).toBe(true);
    });

    it('rejects an unknown zone', async () => {
      const { provider, unknown } = open();
      const failure = await provider.current(unknown).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(CarbonError);
      expect((failure as CarbonError).code).toBe('UNKNOWN_ZONE');
    });
  });
}
