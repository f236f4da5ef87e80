import type { Dialect } from '#vm/engine/dialect';
import { hypersdk } from './hypersdk.ts';
import { kubevirt } from './kubevirt.ts';
import { novacron } from './novacron.ts';
import { simulation } from './simulation.ts';

/** The dialects, by the names that flags have for them. */
export const DIALECTS: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ['kubevirt', kubevirt],
  ['hypersdk', hypersdk],
  ['novacron', novacron],
  ['simulation', simulation],
]);
