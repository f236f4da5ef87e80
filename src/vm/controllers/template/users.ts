import type { HypersdkVm, Template } from '#api/hypersdk/resources';
import { isFor, templateKey } from '#api/hypersdk/template-use';
import type { Cache, Index } from '#platform/runtime/cache';
import { keyOf } from '#platform/runtime/key';

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
