import type { Dialect } from '../machine/dialect.ts';
import { hypersdk } from './hypersdk.ts';
import { kubevirt } from './kubevirt.ts';
import { simulation } from './simulation.ts';

/** The dialects that are built, by the names that flags have for them; machines of other groups are only stored. */
export const BUILT_DIALECTS: ReadonlyMap<string, Dialect> = new Map<string, Dialect>([
  ['kubevirt', kubevirt],
  ['hypersdk', hypersdk],
  ['simulation', simulation],
]);

/** Whether something acts on the machines of a group. */
export function isBuilt(group: string): boolean {
  return [...BUILT_DIALECTS.values()].some(({ kind }) => kind.group === group);
}
