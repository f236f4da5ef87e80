import type { OutputOf } from '../schema.ts';
import { boolean, duration, integer, object, string } from '../schema.ts';

export const carbonAware = object('Starts the machine when electricity is clean.', {
  enabled: boolean('Whether the carbon intensity of the grid is looked at.', { default: false }),
  maxIntensity: integer(
    'Carbon intensity in gCO2/kWh above which the start waits. Left out, the start never waits and only placement prefers clean nodes.',
    { format: 'int32', minimum: 1 },
  ),
  preferGreenEnergy: boolean('Whether nodes with cleaner electricity are preferred.', { default: true }),
  zone: string(
    'Grid zone whose intensity counts, such as DE or US-CAL-CISO; left out, that of the node, before the start that of the operator, else the cleanest of all nodes.',
    { maxLength: 64 },
  ),
  maxDelay: duration(
    'Longest wait for clean electricity; after it the machine starts anyway. Restarts of a machine that has started do not wait.',
    { default: '4h' },
  ),
});

export type CarbonAware = OutputOf<typeof carbonAware>;
