import { isFor, templateKey } from '../../api/hypersdk/template-use.ts';
import type { HypersdkVm, Template } from '../../kube/kinds/hypersdk.ts';
import type { Cache, Index } from '../../runtime/cache.ts';
import { keyOf } from '../../runtime/key.ts';

/** Machines by the key of the template that they name. */
const byTemplate: Index<HypersdkVm> = {
  values: (machine) => {
    const key = templateKey(machine);
    return key === undefined ? [] : [key];
  },
};

/** The keys of the machines that name a template, of any namespace. */
export function* namersOf(key: string, machines: Cache<HypersdkVm>): Generator<string> {
  for (const machine of machines.by(byTemplate, key)) yield keyOf(machine);
}

/** The keys of those of them that it is for. */
export function usersOf(template: Template, machines: Cache<HypersdkVm>): string[] {
  return [...machines.by(byTemplate, keyOf(template))]
    .filter(({ metadata }) => isFor(template, metadata.namespace))
    .map(keyOf);
}
