import type { AdmissionPlugin, Write } from '../admission-plugin.ts';
import { ApiError, forbidden, notFound } from '../api-error.ts';
import type { Backend } from '../backend.ts';
import { keyOf } from '../resource.ts';

const PERMANENT = new Set(['default', 'kube-system', 'kube-public']);

/** Objects live in namespaces that exist and are not ending; the first namespaces are for ever. */
export function namespaceLifecycle(backend: () => Backend): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    mutate(write) {
      check(backend(), write);
      return undefined;
    },
    validate(write) {
      const { operation, resource, name } = write;
      const namespaceItself = resource.group === '' && resource.plural === 'namespaces';
      if (operation === 'DELETE' && namespaceItself && PERMANENT.has(name)) {
        throw forbidden(resource, name, 'this namespace may not be deleted');
      }
    },
  };
}

function check(
  { registry, stores, parsed }: Backend,
  { operation, resource, namespace, name, subresource }: Write,
): void {
  if (operation !== 'CREATE' || !resource.namespaced || subresource !== '') return;
  const namespaces = registry.find('', 'v1', 'namespaces');
  if (namespaces === undefined) return;
  const entry = stores.main.latest(keyOf(namespaces, '', namespace));
  if (entry === undefined) throw notFound(namespaces, namespace);
  if (parsed.get(entry).metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { group, plural } = resource;
  throw new ApiError(403, 'Forbidden', forbidden(resource, name, why).message, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: plural,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}
