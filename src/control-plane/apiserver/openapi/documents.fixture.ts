import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { renameVersion } from '../apiextensions/conversion.ts';
import type { Crd } from '../apiextensions/crd.ts';
import { customResources } from '../apiextensions/custom-resource.ts';
import { builtInResources } from '../builtin-resources.ts';
import { Registry } from '../registry.ts';
import type { KindSchema, Resource } from '../resource.ts';
import { Documents } from './documents.ts';

/** Creates a registry of the built-in kinds with their documents, to which CRDs can be added. */
export function servedDocuments() {
  const registry = new Registry();
  const shape = {} as KindSchema;
  registry.add(
    builtInResources({
      shape: () => shape,
      strategy: () => ({ generation: false, status: true }),
      conversion: () => ({}),
    }),
  );
  const definitions = new Map<string, Crd>();
  const documents = new Documents({
    registry,
    version: '1.36',
    digest: (content) => createHash('sha512').update(content).digest('hex'),
    customSchema: ({ plural, group, version }: Resource) => {
      const found = definitions.get(`${plural}.${group}`)?.spec.versions.find(({ name }) => name === version);
      const schema = found?.schema?.openAPIV3Schema;
      return schema === undefined ? undefined : { schema, selectableFields: found?.selectableFields ?? [] };
    },
  });
  return {
    registry,
    documents,
    define: (definition: Crd): void => {
      definitions.set(definition.metadata.name ?? '', definition);
      registry.add(customResources(definition, renameVersion));
    },
  };
}

const CRDS = new URL('../../../../deploy/crds/', import.meta.url);

/** Returns the CRDs that are part of the product. */
export function deployedDefinitions(): Crd[] {
  return readdirSync(CRDS)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => parse(readFileSync(new URL(name, CRDS), 'utf8')) as Crd);
}
