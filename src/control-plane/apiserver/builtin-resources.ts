import { type PatchSchemaSource, PatchSchemas } from '#platform/kube/patches/patch-schema';
import { builtInFields } from '#platform/kube/selectors/selectable-fields';
import discovery from './kubernetes/discovery.data.json' with { type: 'json' };
import schemas from './kubernetes/openapi-schemas.data.json' with { type: 'json' };
import {
  apiVersionOf,
  type KindSchema,
  type Resource,
  type Storage,
  type Strategy,
  type Subresource,
} from './resource.ts';
import { BUILT_IN_SCALE } from './scale-paths.ts';
import { builtInTable } from './table/built-in-table.ts';
import { customTable } from './table/custom-table.ts';

interface DiscoveredSubresource {
  readonly subresource: string;
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly DiscoveredSubresource[];
}

type Discovered = Readonly<Record<string, readonly { version: string; resources: readonly DiscoveredResource[] }[]>>;

/** Groups of the built-in kinds in the order in which clients prefer them. */
export const BUILT_IN_GROUPS: readonly string[] = Object.keys(discovery);

/** Provides what a kind needs in addition to its discovery entry. */
export interface KindDefinition {
  shape(group: string, version: string, kind: string, plural: string): KindSchema;
  strategy(group: string, plural: string): Strategy;
  /** Returns the conversions from and to the stored version, if a kind has two. */
  conversion(group: string, version: string, plural: string): Pick<Resource, 'fromStorage' | 'toStorage'>;
}

/** Returns every resource that a Kubernetes API server serves without extensions. */
export function builtInResources(parts: KindDefinition): Resource[] {
  const patchSchemas = new PatchSchemas(schemas as unknown as Readonly<Record<string, PatchSchemaSource>>);
  return Object.entries(discovery as unknown as Discovered).flatMap(([group, versions]) =>
    versions.flatMap(({ version, resources }) =>
      resources.map((found) => resourceOf(parts, patchSchemas, group, version, versions[0]?.version ?? version, found)),
    ),
  );
}

function resourceOf(
  parts: KindDefinition,
  patchSchemas: PatchSchemas,
  group: string,
  version: string,
  stored: string,
  found: DiscoveredResource,
): Resource {
  const { kind } = found.responseKind;
  const plural = found.resource;
  const patchSchema = patchSchemas.get(componentOf(group, version, kind));
  const strategy = parts.strategy(group, plural);
  const named = `${apiVersionOf({ group, version })}/${plural}`;
  let shape: KindSchema | undefined;
  return {
    group,
    version,
    plural,
    kind,
    listKind: `${kind}List`,
    singular: found.singularResource,
    namespaced: found.scope === 'Namespaced',
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    verbs: found.verbs,
    subresources: new Map((found.subresources ?? []).map((each) => [each.subresource, subresourceOf(each)])),
    storage: storageOf(group, plural, stored),
    // Most kinds are never written, so their schemas are compiled on first use.
    get shape() {
      shape ??= parts.shape(group, version, kind, plural);
      return shape;
    },
    strategy,
    selectable: builtInFields(named),
    table: builtInTable(named) ?? customTable(undefined),
    ...(patchSchema === undefined ? {} : { patchSchema }),
    ...(found.subresources?.some((each) => each.subresource === 'scale') === true ? { scale: BUILT_IN_SCALE } : {}),
    ...parts.conversion(group, version, plural),
    ...deprecationOf(group, plural),
    custom: false,
  };
}

/** Deprecated kinds of Kubernetes 1.36. */
const DEPRECATED: Readonly<Record<string, string>> = {
  componentstatuses: 'v1 ComponentStatus is deprecated in v1.19+',
  endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

function deprecationOf(group: string, plural: string): Pick<Resource, 'deprecation'> {
  const deprecation = group === '' ? DEPRECATED[plural] : undefined;
  return deprecation === undefined ? {} : { deprecation };
}

/**
 * Returns the storage of a resource. Events of both groups are the same objects, stored apart from all others so that
 * they do not slow those down.
 */
function storageOf(group: string, plural: string, version: string): Storage {
  if (plural === 'events') return { prefix: '/registry/events/', apiVersion: 'v1', store: 'events' };
  const directory = group === '' ? plural : `${group}/${plural}`;
  return { prefix: `/registry/${directory}/`, apiVersion: apiVersionOf({ group, version }), store: 'main' };
}

function subresourceOf({ subresource, responseKind, verbs }: DiscoveredSubresource): Subresource {
  return { name: subresource, ...responseKind, verbs };
}

const EXTENSION_GROUPS: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
};

/** Returns the name of a kind among the OpenAPI components. */
export function componentOf(group: string, version: string, kind: string): string {
  const directory = group === '' ? 'core' : (group.split('.')[0] ?? group);
  return `${EXTENSION_GROUPS[group] ?? `io.k8s.api.${directory}`}.${version}.${kind}`;
}
