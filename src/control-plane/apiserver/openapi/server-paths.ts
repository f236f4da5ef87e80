import { apiVersionOf } from '../resource.ts';
import { groupTitle, type OpenApiOperation, type PathOperations, tagOf, title } from './operation.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const MEDIA = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** /api lists the versions of the core group. */
export const CORE_VERSIONS: PathOperations = reading('/api/', {
  id: 'getCoreAPIVersions',
  tag: tagOf(''),
  description: 'Returns the versions of the core group.',
  responses: { 200: `${META}APIVersions` },
});

/** /apis lists the groups. */
export const GROUPS: PathOperations = reading('/apis/', {
  id: 'getAPIVersions',
  tag: 'apis',
  description: 'Returns all groups and their versions.',
  responses: { 200: `${META}APIGroupList` },
});

/** /version returns the version of the server. */
export const VERSION: PathOperations = reading('/version/', {
  id: 'getCodeVersion',
  tag: 'version',
  description: 'Returns the version of the server.',
  responses: { 200: 'io.k8s.apimachinery.pkg.version.Info' },
  consumes: ['application/json'],
  produces: ['application/json'],
});

/** Returns the path of one group, such as /apis/apps. */
export function groupPath(group: string): PathOperations {
  return reading(`/apis/${group}/`, {
    id: `get${groupTitle(group)}APIGroup`,
    tag: tagOf(group),
    description: `Returns the versions of group ${group}.`,
    responses: { 200: `${META}APIGroup` },
  });
}

/** Returns the path of one group version, such as /apis/apps/v1. */
export function versionPath(group: string, version: string): PathOperations {
  const root = group === '' ? 'api' : 'apis';
  return reading(`/${root}/${apiVersionOf({ group, version })}/`, {
    id: `get${groupTitle(group)}${title(version)}APIResources`,
    tag: tagOf(group, version),
    description: 'Returns the resources of this version.',
    responses: { 200: `${META}APIResourceList` },
  });
}

function reading(
  path: string,
  operation: Partial<OpenApiOperation> & Pick<OpenApiOperation, 'id' | 'tag' | 'responses'>,
): PathOperations {
  return {
    path,
    operations: [{ method: 'get', description: '', parameters: [], consumes: MEDIA, produces: MEDIA, ...operation }],
  };
}
