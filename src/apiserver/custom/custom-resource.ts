import type { KubeObject } from '../../kube/kube-object.ts';
import { customFields } from '../../kube/selectors/selectable-fields.ts';
import { compileSchema, type StructuralSchema } from '../../structural/structural-schema.ts';
import { badRequest } from '../api-error.ts';
import type { Resource, Shape, Subresource } from '../resource.ts';
import { customTable } from '../table/custom-table.ts';
import type { Convert } from './conversion.ts';
import { type Definition, type DefinitionVersion, storageVersion } from './definition.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** The resources that a definition stands for: one for each version that is served. */
export function customResources(definition: Definition, convert: Convert): Resource[] {
  return definition.spec.versions
    .filter(({ served }) => served)
    .map((version) => resourceOf(definition, version, convert));
}

function resourceOf(definition: Definition, version: DefinitionVersion, convert: Convert): Resource {
  const { group, names, scope } = definition.spec;
  const stored = `${group}/${storageVersion(definition)}`;
  const apiVersion = `${group}/${version.name}`;
  const status = version.subresources?.status !== undefined;
  let shape: Shape | undefined;
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
    storage: { prefix: `/registry/${group}/${names.plural}/`, apiVersion: stored, store: 'main' },
    get shape() {
      shape ??= shapeOf(version);
      return shape;
    },
    strategy: {
      generation: true,
      status,
      unconditionalUpdate: false,
      ...(version.deprecated === true ? { warnings: () => [deprecation(definition, version)] } : {}),
    },
    ...(version.schema?.openAPIV3Schema === undefined ? {} : { schema: version.schema.openAPIV3Schema }),
    selectable: customFields(version.selectableFields?.map(({ jsonPath }) => jsonPath)),
    table: customTable(version.additionalPrinterColumns),
    ...scaleOf(version),
    ...(alwaysStoredAs(definition, version.name) ? {} : { fromStorage: fromStorage(apiVersion, convert) }),
    ...(apiVersion === stored ? {} : { toStorage: toStorage(stored, convert) }),
    custom: true,
  };
}

/** Texts of such objects can be answered as they are stored. */
function alwaysStoredAs({ spec, status }: Definition, version: string): boolean {
  const stored = new Set([storageVersion({ spec } as Definition), ...(status?.storedVersions ?? [])]);
  return stored.size === 1 && stored.has(version);
}

/** Objects may still be stored in a version that was the stored one before. */
function fromStorage(apiVersion: string, convert: Convert): NonNullable<Resource['fromStorage']> {
  return (objects) =>
    objects.every((object) => object.apiVersion === apiVersion) ? objects : convert(objects, apiVersion);
}

function toStorage(stored: string, convert: Convert): NonNullable<Resource['toStorage']> {
  return async (object) => {
    const [converted] = await convert([object], stored);
    return converted === undefined || converted === object ? { ...object, apiVersion: stored } : converted;
  };
}

function scaleOf({ subresources }: DefinitionVersion): Pick<Resource, 'scale'> {
  const scale = subresources?.scale;
  if (scale === undefined) return {};
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath } = scale;
  return { scale: { spec, status, selector: labelSelectorPath ?? '.status.selector' } };
}

function deprecation({ spec }: Definition, { name, deprecationWarning }: DefinitionVersion): string {
  return deprecationWarning ?? `${spec.group}/${name} ${spec.names.kind} is deprecated`;
}

function subresourcesOf({ spec }: Definition, { name, subresources }: DefinitionVersion): Map<string, Subresource> {
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

function shapeOf({ schema }: DefinitionVersion): Shape {
  const structural: StructuralSchema = compileSchema(schema?.openAPIV3Schema ?? { type: 'object' });
  return {
    read: (object) => {
      object.metadata ??= {};
      decodeMeta(object);
      return { object, unknown: structural.prune(object) };
    },
    applyDefaults: (object) => structural.applyDefaults(object),
    validate: (object, old) => structural.validate(object, old),
  };
}

/** Metadata is decoded into Go's types before anything else looks at it. */
function decodeMeta(object: KubeObject): void {
  const { metadata } = object as { metadata: unknown };
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    const type = Array.isArray(metadata) ? 'array' : typeof metadata;
    throw badRequest(
      `${object.kind} in version "${versionName(object)}" cannot be handled as a ${object.kind}: json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`,
    );
  }
}

function versionName({ apiVersion }: KubeObject): string {
  return apiVersion.split('/').at(-1) ?? '';
}
