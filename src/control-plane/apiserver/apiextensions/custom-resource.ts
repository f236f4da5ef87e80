import { copyJson } from '#platform/base/json-copy';
import type { KubeObject } from '#platform/kube/kube-object';
import { customFields } from '#platform/kube/selectors/selectable-fields';
import { forbidden } from '../api-error.ts';
import type { KindSchema, Resource, Strategy, Subresource } from '../resource.ts';
import { customTable } from '../table/custom-table.ts';
import type { Convert } from './conversion.ts';
import { type Crd, type CrdNames, type CrdVersion, isTrue, storageVersion } from './crd.ts';
import { customShape } from './custom-shape.ts';
import { readStored, writeStored } from './stored-objects.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** History of a CRD that its resources depend on. */
export interface CrdHistory {
  /** Objects written before this revision may not match the current schemas. */
  readonly staleBefore: number;
  /** Returns the signal that ends the watches of a version when the version changes. */
  readonly ended?: (version: string) => AbortSignal;
}

const NONE: CrdHistory = { staleBefore: 0 };

/** Returns the resources of a CRD, one for each served version. */
export function customResources(definition: Crd, convert: Convert, past = NONE): Resource[] {
  const shapeOf = shapesOf(definition);
  return definition.spec.versions
    .filter(({ served }) => served)
    .map((version) => resourceOf(definition, version, convert, past, shapeOf));
}

/** Returns the resource in the storage version, served or not. Operations on all objects use it. */
export function storedResource(definition: Crd, convert: Convert, past = NONE): Resource | undefined {
  const version = definition.spec.versions.find(({ name }) => name === storageVersion(definition));
  return version === undefined ? undefined : resourceOf(definition, version, convert, past, shapesOf(definition));
}

/** Returns the schemas of a CRD's versions, each of which is compiled on first use. */
function shapesOf(definition: Crd): (version: string) => KindSchema | undefined {
  const shapes = new Map<string, KindSchema>();
  return (name) => {
    const known = shapes.get(name);
    if (known !== undefined) return known;
    const version = definition.spec.versions.find((other) => other.name === name);
    if (version === undefined) return undefined;
    const shape = customShape(namesOf(definition).kind, version, scaleOf(definition, version).scale);
    shapes.set(name, shape);
    return shape;
  };
}

/** Returns the storage prefix of all objects of a CRD. */
export function storagePrefix({ spec }: Crd): string {
  return `/registry/${spec.group}/${spec.names.plural}/`;
}

function resourceOf(
  definition: Crd,
  version: CrdVersion,
  convert: Convert,
  past: CrdHistory,
  shapeOf: (version: string) => KindSchema | undefined,
): Resource {
  const { group, scope } = definition.spec;
  const names = namesOf(definition);
  const stored = `${group}/${storageVersion(definition)}`;
  const scale = scaleOf(definition, version);
  const getShape = (): KindSchema => shapeOf(version.name) as KindSchema;
  return {
    group,
    version: version.name,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: VERBS,
    subresources: subresourcesOf(definition, version),
    storage: { prefix: storagePrefix(definition), apiVersion: stored, store: 'main' },
    get shape() {
      return getShape();
    },
    ...(version.schema?.openAPIV3Schema === undefined ? {} : { schema: version.schema.openAPIV3Schema }),
    strategy: strategyOf(definition, version, getShape),
    selectable: customFields(version.selectableFields?.map(({ jsonPath }) => jsonPath)),
    table: customTable(version.additionalPrinterColumns),
    ...scale,
    ...readStored(definition, version.name, convert, past.staleBefore, shapeOf),
    ...writeStored(stored, version.name === storageVersion(definition), convert, shapeOf),
    ...(version.deprecated === true ? { deprecation: deprecation(definition, version) } : {}),
    ...(past.ended === undefined ? {} : { ended: past.ended(version.name) }),
    custom: true,
  };
}

/** Returns the accepted names, because names of other CRDs are not served. */
function namesOf({ spec, status }: Crd): CrdNames {
  const accepted = status?.acceptedNames;
  return accepted?.plural ? accepted : spec.names;
}

function strategyOf(definition: Crd, { subresources, schema }: CrdVersion, shape: () => KindSchema): Strategy {
  const { group, names } = definition.spec;
  const firstStatus = schema?.openAPIV3Schema?.properties?.['status']?.default === undefined ? {} : statusOf(shape);
  return {
    generation: true,
    status: subresources?.status !== undefined,
    unconditionalUpdate: false,
    warnings: finalizerWarnings,
    ...(isTrue(definition, 'Terminating')
      ? {
          prepareCreate({ metadata }) {
            const why = 'create not allowed while custom resource definition is terminating';
            throw forbidden({ group, plural: names.plural }, metadata.name ?? '', why);
          },
        }
      : firstStatus),
  };
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Warns of finalizers without a domain, which others could use too. */
function finalizerWarnings({ metadata }: KubeObject, old?: KubeObject): readonly string[] {
  const { finalizers = [] } = metadata;
  const before = new Set(old?.metadata.finalizers);
  return finalizers
    .filter((name) => !before.has(name) && !name.includes('/') && !STANDARD_FINALIZERS.has(name))
    .map((name) => `metadata.finalizers: ${JSON.stringify(name)}: ${PREFER_QUALIFIED}`);
}

const PREFER_QUALIFIED =
  'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';

/** Adds the default status of the schema. A creation writes no status, but readers see the default. */
function statusOf(shape: () => KindSchema): Pick<Strategy, 'prepareCreate'> {
  let first: { status: unknown } | undefined;
  return {
    prepareCreate(object) {
      if (first === undefined) {
        const probe: KubeObject = { apiVersion: object.apiVersion, kind: object.kind, metadata: {} };
        shape().applyDefaults(probe);
        first = { status: probe['status'] };
      }
      object['status'] ??= copyJson(first.status);
    },
  };
}

function scaleOf({ spec }: Crd, { subresources }: CrdVersion): Pick<Resource, 'scale'> {
  const scale = subresources?.scale;
  if (scale === undefined) return {};
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  return {
    scale: {
      spec: specReplicasPath,
      status: statusReplicasPath,
      selector: labelSelectorPath,
      custom: { group: spec.group, kind: spec.names.kind },
    },
  };
}

function deprecation({ spec }: Crd, { name, deprecationWarning }: CrdVersion): string {
  return deprecationWarning ?? `${spec.group}/${name} ${spec.names.kind} is deprecated`;
}

function subresourcesOf({ spec }: Crd, { name, subresources }: CrdVersion): Map<string, Subresource> {
  const found = new Map<string, Subresource>();
  const verbs = ['get', 'patch', 'update'];
  if (subresources?.status !== undefined) {
    found.set('status', { name: 'status', group: spec.group, version: name, kind: spec.names.kind, verbs });
  }
  if (subresources?.scale !== undefined) {
    found.set('scale', { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs });
  }
  return found;
}
