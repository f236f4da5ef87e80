import type { OutputOf } from '#platform/schema/schema';
import { boolean, duration, integer, object, string } from '#platform/schema/schema';

export const carbonAware = object('Starts the machine when electricity is clean.', {
  enabled: boolean('Whether the carbon intensity of the grid is looked at.', { default: false }),
  maxIntensity: integer(
    'Carbon intensity in gCO2/kWh above which the start waits. Left out, the start never waits and only placement prefers clean nodes.',
    { format: 'int32', minimum: 1 },
  ),
  preferGreenEnergy: boolean('Whether nodes with cleaner electricity are preferred.', { default: true }),
  zone: string(
    'Grid zone that the start waits for, such as DE or US-CAL-CISO; its nodes are preferred by far, where there are any. Left out, the cleanest zone of the nodes, else that of the operator; without preferGreenEnergy first that of the operator. Once the machine runs, the zone of its node counts.',
    { maxLength: 64 },
  ),
  maxDelay: duration(
    'Longest wait for clean electricity, and for word of it; after it the machine starts anyway. Restarts of a machine that has started do not wait.',
    { default: '4h' },
  ),
});

export type CarbonAware = OutputOf<typeof carbonAware>;
