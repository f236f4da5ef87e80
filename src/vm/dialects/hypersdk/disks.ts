import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { claimedDisks } from '#api/hypersdk/claims';
import { type HypersdkVm, VM_TEMPLATES } from '#api/hypersdk/resources';
import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { templateFor } from '#api/hypersdk/template-use';
import type { Context } from '#platform/runtime/controller';

/**
 * Returns the disks that a VM should have, or undefined while its template, which defines more of them, is not
 * available.
 */
export function disksOf(vm: HypersdkVm, { cache }: Pick<Context, 'cache'>): ClaimedDisk[] | undefined {
  const template = templateFor(vm, (key) => cache(VM_TEMPLATES).get(key));
  if (template === 'missing' || template === 'withheld') return undefined;
  const spec = template === undefined ? vm.spec : withTemplateDefaults(vm.spec, template.spec);
  return claimedDisks(vm.metadata.name, spec);
}
