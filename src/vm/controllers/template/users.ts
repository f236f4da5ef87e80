import type { HypersdkVm, Template } from '#api/hypersdk/resources';
import { isFor, templateKey } from '#api/hypersdk/template-use';
import type { Cache, Index } from '#platform/runtime/cache';
import { keyOf } from '#platform/runtime/key';

/** Indexes VMs by the key of the template that they reference. */
const byTemplate: Index<HypersdkVm> = {
  values: (vm) => {
    const key = templateKey(vm);
    return key === undefined ? [] : [key];
  },
};

/** Returns the keys of the VMs in any namespace that reference a template. */
export function* referencingVms(key: string, vms: Cache<HypersdkVm>): Generator<string> {
  for (const vm of vms.by(byTemplate, key)) yield keyOf(vm);
}

/** Returns the keys of those referencing VMs that may use the template. */
export function usersOf(template: Template, vms: Cache<HypersdkVm>): string[] {
  return [...vms.by(byTemplate, keyOf(template))]
    .filter(({ metadata }) => isFor(template, metadata.namespace))
    .map(keyOf);
}
