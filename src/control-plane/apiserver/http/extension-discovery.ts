import type { ApiExtension, ExtensionResource } from '#platform/kube/api-extension';

/** Returns the entries of an APIResourceList for an extension. */
export function extensionEntries({ resources }: ApiExtension): object[] {
  return resources.map(({ name, singularName = '', namespaced, kindOf, kind, verbs, shortNames, categories }) => ({
    name,
    singularName,
    namespaced,
    ...kindOf,
    kind,
    verbs,
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
  }));
}

/**
 * Returns the entries for aggregated discovery, in which a resource that only has subresources is listed without verbs.
 */
export function aggregatedExtension(extension: ApiExtension): object[] {
  const plurals = new Set(extension.resources.map(({ name }) => name.split('/')[0] ?? name));
  return [...plurals].map((plural) => aggregatedEntry(extension, plural));
}

function aggregatedEntry(extension: ApiExtension, plural: string): object {
  const own = extension.resources.find(({ name }) => name === plural);
  const parts = extension.resources.filter(({ name }) => name.startsWith(`${plural}/`));
  const subresources = parts.map((part) => ({
    subresource: part.name.slice(plural.length + 1),
    responseKind: kindOf(extension, part),
    verbs: part.verbs,
  }));
  return {
    resource: plural,
    scope: (own ?? parts[0])?.namespaced === true ? 'Namespaced' : 'Cluster',
    ...(own === undefined ? NOT_SERVED : ownEntry(extension, own)),
    ...(parts.length === 0 ? {} : { subresources }),
  };
}

const NOT_SERVED = { responseKind: { group: '', version: '', kind: '' }, singularResource: '', verbs: [] };

function ownEntry(extension: ApiExtension, resource: ExtensionResource): object {
  const { singularName = '', verbs, shortNames, categories } = resource;
  return {
    responseKind: kindOf(extension, resource),
    singularResource: singularName,
    verbs,
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
  };
}

function kindOf({ group, version }: ApiExtension, resource: ExtensionResource): object {
  return { ...(resource.kindOf ?? { group, version }), kind: resource.kind };
}
