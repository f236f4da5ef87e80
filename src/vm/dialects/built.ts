import type { Dialect } from '#vm/engine/dialect';
import { hypersdk } from './hypersdk.ts';
import { kubevirt } from './kubevirt.ts';
import { novacron } from './novacron.ts';
import { simulation } from './simulation.ts';

/** Dialects by their names in flags. */
export const DIALECTS: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ['kubevirt', kubevirt],
  ['hypersdk', hypersdk],
  ['novacron', novacron],
  ['simulation', simulation],
]);
