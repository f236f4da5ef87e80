import type { HypersdkVm, Template } from '#api/hypersdk/resources';
import { isFor, templateKey } from '#api/hypersdk/template-use';
import type { Cache, Index } from '#platform/runtime/cache';
import { keyOf } from '#platform/runtime/key';

/** Machines by the key of the template that they name. */
const byTemplate: Index<HypersdkVm> = {
  values: (vm) => {
    const key = templateKey(vm);
    return key === undefined ? [] : [key];
  },
};

/** The keys of the machines that name a template, of any namespace. */
export function* referencingVms(key: string, vms: Cache<HypersdkVm>): Generator<string> {
  for (const vm of vms.by(byTemplate, key)) yield keyOf(vm);
}

/** The keys of those of them that it is for. */
export function usersOf(template: Template, vms: Cache<HypersdkVm>): string[] {
  return [...vms.by(byTemplate, keyOf(template))]
    .filter(({ metadata }) => isFor(template, metadata.namespace))
    .map(keyOf);
}
