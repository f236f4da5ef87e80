import { vmNetwork } from '#api/novacron/vm-network';
import { jsonEqual } from '#platform/base/json-equal';
import type { AdmissionRequest } from '#vm/admission/admitter';
import type { FindNetwork } from './interfaces.ts';
import type { VmTemplate } from './vm-template.ts';

interface Templated {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly template?: VmTemplate };
}

/**
 * Finds the networks that the interfaces of a request name. Unchanged interfaces were validated when they were written,
 * and a network that has changed since must not prevent a VM from being stopped.
 */
export function networkFinder({ object, old, lookup }: AdmissionRequest<Templated>): FindNetwork {
  const networks = object.spec.template?.spec?.networks;
  const same = old !== undefined && jsonEqual(networks, old.spec.template?.spec?.networks);
  return (name) => (same ? undefined : lookup(vmNetwork, object.metadata.namespace, name));
}
