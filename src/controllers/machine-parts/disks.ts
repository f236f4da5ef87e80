import type { ClaimedDisk } from '../../api/disk/claimed-disk.ts';
import { claimedDisks } from '../../api/hypersdk/claims.ts';
import { inherited } from '../../api/hypersdk/inherit.ts';
import { templateFor } from '../../api/hypersdk/template-use.ts';
import { type HypersdkVm, VM_TEMPLATES } from '../../kube/kinds/hypersdk.ts';
import type { Context } from '../../runtime/controller.ts';

/** The disks that a machine is to have; undefined while its template, which says more of them, is not there for it. */
export function disksOf(machine: HypersdkVm, { cache }: Pick<Context, 'cache'>): ClaimedDisk[] | undefined {
  const template = templateFor(machine, (key) => cache(VM_TEMPLATES).get(key));
  if (template === 'missing' || template === 'withheld') return undefined;
  const spec = template === undefined ? machine.spec : inherited(machine.spec, template.spec);
  return claimedDisks(machine.metadata.name, spec);
}
