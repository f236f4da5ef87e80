import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import { ApiError, forbidden, notFound } from '../api-error.ts';
import type { ObjectSource } from '../object-source.ts';
import { keyOf } from '../resource.ts';
import { admissionDenial } from './denial.ts';

const PERMANENT = new Set(['default', 'kube-system', 'kube-public']);

/**
 * Requires objects to be in namespaces that exist and are not terminating, and protects the initial namespaces from
 * deletion.
 */
export function namespaceLifecycle(source: ObjectSource): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    mutate(write) {
      if (write.resource.namespaced) check(source, write);
      return undefined;
    },
    validate({ operation, resource, name }) {
      const namespaceItself = resource.group === '' && resource.plural === 'namespaces';
      if (operation === 'DELETE' && namespaceItself && PERMANENT.has(name)) {
        throw forbidden(resource, name, 'this namespace may not be deleted');
      }
    },
  };
}

function check({ registry, store, parsed }: ObjectSource, write: AdmissionAttributes): void {
  const { operation, namespace, subresource, resource } = write;
  if (operation !== 'CREATE' || subresource !== '') return;
  // An access review may refer to any namespace.
  if (resource.group === 'authorization.k8s.io') return;
  const namespaces = registry.find('', 'v1', 'namespaces');
  if (namespaces === undefined) return;
  const entry = store.latest(keyOf(namespaces, '', namespace));
  if (entry === undefined) throw notFound(namespaces, namespace);
  if (parsed.get(entry).metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { message, details } = admissionDenial(write, why);
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw new ApiError(403, 'Forbidden', message, { ...details, causes: [cause] });
}
