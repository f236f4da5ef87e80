import type { Dialect } from '#vm/engine/dialect';
import type { GroupControllers } from './group-controllers.ts';
import { hypersdkControllers } from './hypersdk/controllers.ts';
import { novacronControllers } from './novacron/controllers.ts';

/**
 * Registers the groups that need controllers besides the one of their VMs. The list is apart from the dialects, so that
 * the command line does not load controllers.
 */
const GROUP_CONTROLLERS: readonly GroupControllers[] = [hypersdkControllers, novacronControllers];

/** Returns the controllers of the groups whose VMs are managed. */
export function controllersOf(dialects: readonly Pick<Dialect, 'kind'>[]): readonly GroupControllers[] {
  return GROUP_CONTROLLERS.filter(({ group }) => dialects.some(({ kind }) => kind.group === group));
}
