import type { VirtualMachine } from '../../api/hypersdk/virtual-machine.ts';
import type { Copying } from '../../machine/dialect.ts';

/** The spec of another machine that is the same, but for its addresses. Its disks are filled by whoever makes their claims. */
export function copy({ metadata, spec }: VirtualMachine, { namespace, start }: Copying): object {
  const { networks, image } = spec;
  const cards = networks?.map(({ macAddress: _mac, ...card }) => card);
  const { templateRef } = image ?? {};
  const away = templateRef !== undefined && (templateRef.namespace ?? '') === '' && namespace !== metadata.namespace;
  return {
    ...spec,
    running: start,
    ...(cards === undefined ? {} : { networks: cards }),
    // Seen from another namespace, the template is where it was.
    ...(away ? { image: { ...image, templateRef: { ...templateRef, namespace: metadata.namespace } } } : {}),
  };
}
