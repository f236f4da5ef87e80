import type { VirtualMachine } from './virtual-machine.ts';

/** Holds a template until no machine names it any more. */
export const TEMPLATE_FINALIZER = 'hypersdk.io/template-protection';

/** The condition of a template that says which machines name it. */
export const IN_USE = 'InUse';

/** The template that a machine names, as `namespace/name`. */
export function templateKey({ metadata, spec }: VirtualMachine): string | undefined {
  const { templateRef } = spec.image ?? {};
  // An empty namespace is as good as none.
  return templateRef === undefined ? undefined : `${templateRef.namespace || metadata.namespace}/${templateRef.name}`;
}
