import { type HypersdkVm, VM_TEMPLATES } from '#api/hypersdk/resources';
import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { templateFor } from '#api/hypersdk/template-use';
import type { Context } from '#platform/runtime/controller';

/** Returns the spec of a VM with the values of its template, or undefined while the template is not available. */
export function templatedSpec(vm: HypersdkVm, { cache }: Pick<Context, 'cache'>): HypersdkVm['spec'] | undefined {
  const template = templateFor(vm, (key) => cache(VM_TEMPLATES).get(key));
  if (template === 'missing' || template === 'withheld') return undefined;
  return template === undefined ? vm.spec : withTemplateDefaults(vm.spec, template.spec);
}
