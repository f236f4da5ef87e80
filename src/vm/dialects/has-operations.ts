import { vmOperation } from '#api/hypersdk/vm-operation';
import type { Dialect } from '#vm/engine/dialect';

/** Reports whether VMOperations and VMSnapshots are managed: they are with the VMs of their group. */
export function hasOperations(dialects: readonly Pick<Dialect, 'kind'>[]): boolean {
  return dialects.some(({ kind }) => kind.group === vmOperation.group);
}
