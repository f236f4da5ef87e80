import { isFor, templateKey } from '../../api/hypersdk/template-use.ts';
import { type VirtualMachine, virtualMachine } from '../../api/hypersdk/virtual-machine.ts';
import { type VMTemplate, vmTemplate } from '../../api/hypersdk/vm-template.ts';
import type { ResourceType } from '../../kube/client.ts';
import { resourceOfKind } from '../../kube/kinds/machines.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import type { Cache, Index } from '../../runtime/cache.ts';
import { keyOf } from '../../runtime/key.ts';

export type Template = VMTemplate & KubeObject;
type Machine = VirtualMachine & KubeObject;

export const TEMPLATES: ResourceType<Template> = resourceOfKind(vmTemplate);
export const MACHINES: ResourceType<Machine> = resourceOfKind(virtualMachine);

/** Machines by the key of the template that they name. */
const byTemplate: Index<Machine> = {
  values: (machine) => {
    const key = templateKey(machine);
    return key === undefined ? [] : [key];
  },
};

/** The keys of the machines that name a template, of any namespace. */
export function* namersOf(key: string, machines: Cache<Machine>): Generator<string> {
  for (const machine of machines.by(byTemplate, key)) yield keyOf(machine);
}

/** The keys of those of them that it is for. */
export function usersOf(template: Template, machines: Cache<Machine>): string[] {
  return [...machines.by(byTemplate, keyOf(template))]
    .filter(({ metadata }) => isFor(template, metadata.namespace))
    .map(keyOf);
}
