import { apiVersionOf, type Resource } from '../resource.ts';
import { componentName, DELETE_OPTIONS, STATUS, WATCH_EVENT } from './component-name.ts';
import type { OpenApiOperation, PathOperations } from './operation.ts';
import {
  DELETE_COLLECTION_PARAMETERS,
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  type Parameter,
  PRETTY,
} from './parameter.ts';
import { ResourceOperations } from './resource-operations.ts';
import { subresourcePaths } from './subresource-paths.ts';

/** Kinds whose deletion responds with the object itself. */
const RETURNED_WHEN_DELETED: ReadonlySet<string> = new Set([
  'v1/PersistentVolume',
  'v1/PersistentVolumeClaim',
  'v1/Pod',
  'v1/PodTemplate',
  'v1/ResourceQuota',
  'v1/Service',
  'v1/ServiceAccount',
  'resource.k8s.io/v1/DeviceClass',
  'resource.k8s.io/v1/ResourceClaim',
  'resource.k8s.io/v1/ResourceClaimTemplate',
  'resource.k8s.io/v1/ResourceSlice',
  'storage.k8s.io/v1/CSIDriver',
  'storage.k8s.io/v1/CSINode',
  'storage.k8s.io/v1/StorageClass',
  'storage.k8s.io/v1/VolumeAttachment',
  'storage.k8s.io/v1/VolumeAttributesClass',
]);

/** Returns every path of a resource with its operations, named as in Kubernetes' own generated clients. */
export function resourcePaths(resource: Resource): PathOperations[] {
  const { namespaced, plural, subresources, custom } = resource;
  const make = new ResourceOperations(resource);
  const within = namespaced ? `namespaces/{namespace}/${plural}` : plural;
  const found = [
    { path: make.path(within), operations: collection(make) },
    { path: make.path(`${within}/{name}`), operations: item(make) },
    ...[...subresources.values()].flatMap((subresource) =>
      subresourcePaths(make, make.path(`${within}/{name}/${subresource.name}`), subresource),
    ),
    ...(namespaced ? [{ path: make.path(plural), operations: everywhere(make) }] : []),
    ...(custom ? [] : watches(make, within)),
  ];
  return found.filter(({ operations }) => operations.length > 0);
}

function collection(make: ResourceOperations): OpenApiOperation[] {
  const { verbs, kind } = make.resource;
  const shared = [...make.scope, PRETTY];
  const found: OpenApiOperation[] = [];
  if (verbs.includes('list')) {
    found.push(list(make, make.scopedKind, `Lists or watches objects of kind ${kind}.`, shared));
  }
  if (verbs.includes('create')) {
    found.push(make.create(make.scopedKind, `Creates a ${kind}.`, make.component, shared));
  }
  if (verbs.includes('deletecollection')) found.push(deleteCollection(make, shared));
  return found;
}

function everywhere(make: ResourceOperations): OpenApiOperation[] {
  const { verbs, kind } = make.resource;
  if (!verbs.includes('list')) return [];
  return [
    list(make, `${kind}ForAllNamespaces`, `Lists or watches objects of kind ${kind} in all namespaces.`, [PRETTY]),
  ];
}

function list(
  make: ResourceOperations,
  named: string,
  description: string,
  shared: readonly Parameter[],
): OpenApiOperation {
  const { group, version, listKind } = make.resource;
  return {
    ...make.operation('get', 'list', named, description),
    parameters: [...shared, ...LIST_PARAMETERS],
    produces: make.streams(),
    responses: { 200: componentName(group, version, listKind) },
    action: 'list',
  };
}

function deleteCollection(make: ResourceOperations, shared: readonly Parameter[]): OpenApiOperation {
  const { kind, custom } = make.resource;
  return {
    ...make.operation(
      'delete',
      'delete',
      `Collection${make.scopedKind}`,
      `Deletes all selected objects of kind ${kind}.`,
    ),
    // Custom resources publish the parameters of a list here, and no body.
    parameters: [...shared, ...(custom ? LIST_PARAMETERS : DELETE_COLLECTION_PARAMETERS)],
    ...(custom ? {} : { body: { component: DELETE_OPTIONS, required: false } }),
    responses: { 200: STATUS },
    action: 'deletecollection',
  };
}

function item(make: ResourceOperations): OpenApiOperation[] {
  const { verbs, kind } = make.resource;
  const { scopedKind, component } = make;
  const found: OpenApiOperation[] = [];
  if (verbs.includes('get')) found.push(make.read(scopedKind, `Reads one ${kind}.`, component));
  if (verbs.includes('update')) found.push(make.replace(scopedKind, `Replaces one ${kind}.`, component));
  if (verbs.includes('delete')) found.push(deleteOne(make));
  if (verbs.includes('patch')) found.push(make.patch(scopedKind, `Changes parts of one ${kind}.`, component));
  return found;
}

function deleteOne(make: ResourceOperations): OpenApiOperation {
  const { kind, custom } = make.resource;
  const returned = !custom && RETURNED_WHEN_DELETED.has(`${apiVersionOf(make.resource)}/${kind}`);
  const component = returned ? make.component : STATUS;
  return {
    ...make.operation('delete', 'delete', make.scopedKind, `Deletes one ${kind}.`),
    parameters: [...make.item, ...DELETE_PARAMETERS],
    body: { component: DELETE_OPTIONS, required: false },
    responses: { 200: component, 202: component },
    action: 'delete',
  };
}

/** Returns the deprecated paths for watches that predate `?watch` and are still published. */
function watches(make: ResourceOperations, within: string): PathOperations[] {
  const { verbs, kind, namespaced, plural } = make.resource;
  if (!verbs.includes('watch')) return [];
  const watch = (path: string, named: string, action: string, own: readonly Parameter[]): PathOperations => ({
    path: make.path(`watch/${path}`),
    operations: [
      {
        ...make.operation('get', 'watch', named, `Watches objects of kind ${kind}; use a list with watch instead.`),
        parameters: [...own, PRETTY, ...LIST_PARAMETERS],
        produces: make.streams(),
        responses: { 200: WATCH_EVENT },
        action,
      },
    ],
  });
  return [
    watch(within, `${make.scopedKind}List`, 'watchlist', make.scope),
    watch(`${within}/{name}`, make.scopedKind, 'watch', [make.name, ...make.scope]),
    ...(namespaced ? [watch(plural, `${kind}ListForAllNamespaces`, 'watchlist', [])] : []),
  ];
}
