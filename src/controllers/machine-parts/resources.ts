import type { ClaimedDisk } from '../../api/disk/claimed-disk.ts';
import { claimedDisks } from '../../api/hypersdk/claims.ts';
import { inherited } from '../../api/hypersdk/inherit.ts';
import { templateFor } from '../../api/hypersdk/template-use.ts';
import { type VirtualMachine, virtualMachine } from '../../api/hypersdk/virtual-machine.ts';
import { type VMTemplate, vmTemplate } from '../../api/hypersdk/vm-template.ts';
import type { ResourceType } from '../../kube/client.ts';
import { resourceOfKind } from '../../kube/kinds/machines.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import type { Context } from '../../runtime/controller.ts';
import { asCloned } from './clone.ts';

export type Machine = VirtualMachine & KubeObject;

export const MACHINES: ResourceType<Machine> = resourceOfKind(virtualMachine);
export const TEMPLATES: ResourceType<VMTemplate & KubeObject> = resourceOfKind(vmTemplate);

/** The disks that a machine is to have; undefined while its template, which says more of them, is not there for it. */
export function disksOf(machine: Machine, { cache }: Pick<Context, 'cache'>): ClaimedDisk[] | undefined {
  const template = templateFor(machine, (key) => cache(TEMPLATES).get(key));
  if (template === 'missing' || template === 'withheld') return undefined;
  const spec = template === undefined ? machine.spec : inherited(machine.spec, template.spec);
  return claimedDisks(machine.metadata.name, spec).map((disk) => asCloned(machine, disk));
}
