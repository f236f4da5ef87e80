import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { claimedDisks } from '#api/hypersdk/claims';
import type { HypersdkVm } from '#api/hypersdk/resources';
import type { Context } from '#platform/runtime/controller';
import { templatedSpec } from './templated-spec.ts';

/**
 * Returns the disks that a VM should have, or undefined while its template, which defines more of them, is not
 * available.
 */
export function disksOf(vm: HypersdkVm, context: Pick<Context, 'cache'>): ClaimedDisk[] | undefined {
  const spec = templatedSpec(vm, context);
  return spec === undefined ? undefined : claimedDisks(vm.metadata.name, spec);
}
