import type { OutputOf } from '#platform/schema/schema';
import { boolean, duration, integer, object, string } from '#platform/schema/schema';

export const carbonAware = object('Delays the start of the VM until electricity is clean.', {
  enabled: boolean('Whether the VM is carbon-aware.', { default: false }),
  maxIntensity: integer(
    'Carbon intensity in gCO2/kWh above which the start waits. If not set, the start never waits, and only placement prefers clean nodes.',
    { format: 'int32', minimum: 1 },
  ),
  preferGreenEnergy: boolean('Whether nodes with cleaner electricity are preferred.', { default: true }),
  zone: string(
    'Grid zone that the start waits for, such as DE or US-CAL-CISO. Its nodes are strongly preferred. Defaults to the cleanest zone of the nodes, or else to the zone of the operator; without preferGreenEnergy, the zone of the operator comes first. Once the VM runs, the zone of its node applies.',
    { maxLength: 64 },
  ),
  maxDelay: duration(
    'Maximum time to wait for clean electricity, or for carbon data. After it, the VM starts anyway. Restarts of a VM that has already started do not wait.',
    { default: '4h' },
  ),
});

export type CarbonAware = OutputOf<typeof carbonAware>;
