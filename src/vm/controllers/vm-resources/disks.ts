import type { ClaimedDisk } from '#api/disk/claimed-disk';
import { claimedDisks } from '#api/hypersdk/claims';
import { type HypersdkVm, VM_TEMPLATES } from '#api/hypersdk/resources';
import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { templateFor } from '#api/hypersdk/template-use';
import type { Context } from '#platform/runtime/controller';

/** The disks that a machine is to have; undefined while its template, which says more of them, is not there for it. */
export function disksOf(vm: HypersdkVm, { cache }: Pick<Context, 'cache'>): ClaimedDisk[] | undefined {
  const template = templateFor(vm, (key) => cache(VM_TEMPLATES).get(key));
  if (template === 'missing' || template === 'withheld') return undefined;
  const spec = template === undefined ? vm.spec : withTemplateDefaults(vm.spec, template.spec);
  return claimedDisks(vm.metadata.name, spec);
}
