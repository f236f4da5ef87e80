import type { Crd } from '../apiextensions/crd.ts';
import type { Backend } from '../backend.ts';
import { keyOf, type Resource } from '../resource.ts';
import type { CustomSchema } from './custom-component.ts';

/** Reads the schemas of custom resources from their stored CRDs. */
export function storedSchemas({
  registry,
  stores,
  parsed,
}: Pick<Backend, 'registry' | 'stores' | 'parsed'>): (resource: Resource) => CustomSchema | undefined {
  return ({ group, version, plural }) => {
    const definitions = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    const entry = definitions === undefined ? undefined : stores.main.get(keyOf(definitions, '', `${plural}.${group}`));
    if (entry === undefined) return undefined;
    const { spec } = parsed.get(entry) as unknown as Crd;
    const found = spec.versions.find(({ name }) => name === version);
    if (found === undefined) return undefined;
    return {
      schema: found.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      selectableFields: found.selectableFields ?? [],
    };
  };
}
