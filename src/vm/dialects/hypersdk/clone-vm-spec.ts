import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { isFor } from '#api/hypersdk/template-use';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { VMTemplate } from '#api/hypersdk/vm-template';
import type { CloneOptions } from '#vm/engine/dialect';

type Spec = VirtualMachine['spec'];

/** Returns the spec of a clone without the addresses. The creator of the claims populates its disks. */
export function cloneVmSpec(vm: VirtualMachine, copying: CloneOptions): object {
  const { networks, ...spec } = specIn(vm, copying);
  const cards = networks?.map(({ macAddress: _mac, ...iface }) => iface);
  return { ...spec, running: copying.start, ...(cards === undefined ? {} : { networks: cards }) };
}

/**
 * Returns the spec for another namespace. It refers to the template in its namespace, or includes the template's values
 * if the template is not for the new namespace.
 */
function specIn({ metadata, spec }: VirtualMachine, { namespace, dependencies }: CloneOptions): Spec {
  const { image } = spec;
  if (image?.templateRef === undefined || namespace === metadata.namespace) return spec;
  const { template } = dependencies ?? {};
  if (typeof template === 'object' && !isFor(template, namespace))
    return withTemplateDefaults(spec, (template as VMTemplate).spec);
  const templateRef = { ...image.templateRef, namespace: image.templateRef.namespace || metadata.namespace };
  return { ...spec, image: { ...image, templateRef } };
}
