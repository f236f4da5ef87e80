import type { Clock } from '#platform/base/clock';
import { type CarbonProvider, unknownZone } from './provider.ts';
import type { Slot } from './slot.ts';

/** Constant intensities by zone, such as yearly averages. */
export type IntensityTable = ReadonlyMap<string, number>;

const HOUR = 3_600_000;
const DAYS_AHEAD = 2;

/** Provides intensities from a static table. Waiting gains nothing with it, but placement can still choose. */
export function tableProvider(table: IntensityTable, clock: Clock): CarbonProvider {
  const slot = (zone: string, hours: number): Slot => {
    const intensity = table.get(zone);
    if (intensity === undefined) throw unknownZone('The table of intensities', zone);
    const from = Math.floor(clock.now() / HOUR) * HOUR;
    return { from, to: from + hours * HOUR, intensity };
  };
  return {
    name: 'static',
    current: async (zone) => slot(zone, 1),
    forecast: async (zone) => [slot(zone, DAYS_AHEAD * 24)],
    zones: async () => [...table.keys()].toSorted().map((zone) => ({ zone, name: zone })),
  };
}
