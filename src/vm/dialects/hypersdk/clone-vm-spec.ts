import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { isFor } from '#api/hypersdk/template-use';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { CloneOptions } from '#vm/engine/dialect';

type Spec = VirtualMachine['spec'];

/** The spec of another machine that is the same, but for its addresses. Its disks are filled by whoever makes their claims. */
export function cloneVmSpec(vm: VirtualMachine, copying: CloneOptions): object {
  const { networks, ...spec } = specIn(vm, copying);
  const cards = networks?.map(({ macAddress: _mac, ...iface }) => iface);
  return { ...spec, running: copying.start, ...(cards === undefined ? {} : { networks: cards }) };
}

/** Seen from another namespace, the template is where it was; one that is not for that namespace is left behind, and what it gave goes along. */
function specIn({ metadata, spec }: VirtualMachine, { namespace, dependencies }: CloneOptions): Spec {
  const { image } = spec;
  if (image?.templateRef === undefined || namespace === metadata.namespace) return spec;
  const { template } = dependencies ?? {};
  if (typeof template === 'object' && !isFor(template, namespace)) return withTemplateDefaults(spec, template.spec);
  const templateRef = { ...image.templateRef, namespace: image.templateRef.namespace || metadata.namespace };
  return { ...spec, image: { ...image, templateRef } };
}
