import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#platform/base/bytes';
import { apiVersionOf, type Resource } from '../resource.ts';
import { deployedDefinitions, servedDocuments } from './documents.fixture.ts';
import type { OpenApiDocument } from './documents.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly $ref?: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, unknown>>;
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: Readonly<Record<string, string>>;
}

interface Item {
  readonly parameters?: readonly Parameter[];
  readonly [method: string]: Operation | readonly Parameter[] | undefined;
}

interface Parsed {
  readonly info: { readonly title: string };
  readonly paths: Readonly<Record<string, Item>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, object>>;
  readonly [keyword: string]: unknown;
}

const served = servedDocuments();
for (const definition of deployedDefinitions()) served.define(definition);

const parsed = (document: OpenApiDocument | undefined) =>
  JSON.parse(decodeUtf8(document?.json ?? encodeUtf8('null'))) as Parsed;
const v3 = (path: string) => parsed(served.documents.v3(path));
const index = JSON.parse(served.documents.index()) as { paths: Record<string, { serverRelativeURL: string }> };
const documentPath = (resource: Resource) => `${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`;

function operations(document: Parsed): (Operation & { path: string; method: string })[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({ path, method, ...(operation as Operation) })),
  );
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

function resolves(document: Parsed, reference: string): boolean {
  const parts = reference.slice(2).split('/');
  return (
    parts.reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document) !== undefined
  );
}

describe('the index of /openapi/v3', () => {
  it('lists every group version that is served, built-in groups, and paths of the server itself', () => {
    const expected = new Set([...served.registry.all()].map(documentPath));
    for (const resource of served.registry.all())
      if (!resource.custom && resource.group !== '') expected.add(`apis/${resource.group}`);
    for (const path of ['api', 'apis', 'version']) expected.add(path);
    expect(Object.keys(index.paths)).toEqual([...expected].sort());
    expect(index.paths['apis/hypersdk.io']).toBeUndefined();
  });

  it('has the SHA-512 of each document', () => {
    for (const [path, { serverRelativeURL }] of Object.entries(index.paths)) {
      const bytes = served.documents.v3(path)?.json ?? Buffer.alloc(0);
      const hash = createHash('sha512').update(bytes).digest('hex').toUpperCase();
      expect(serverRelativeURL).toBe(`/openapi/v3/${path}?hash=${hash}`);
    }
  });
});

describe('every document', () => {
  const all = [...Object.keys(index.paths).map((path) => [path, v3(path)] as const), ['v2', v2()] as const];
  function v2() {
    return parsed(served.documents.v2());
  }

  it.each(all)('for %s contains everything that it refers to', (_path, document) => {
    const broken = references(document).filter((reference) => !resolves(document, reference));
    expect(broken).toEqual([]);
  });

  it.each(all)('for %s declares exactly the parameters of its paths', (_path, document) => {
    for (const [path, item] of Object.entries(document.paths)) {
      const desired = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      const declared = (item.parameters ?? [])
        .map((parameter) =>
          parameter.$ref === undefined ? parameter : document.parameters[parameter.$ref.slice('#/parameters/'.length)],
        )
        .filter((parameter) => parameter?.in === 'path');
      expect([path, new Set(declared.map((parameter) => parameter?.name))]).toEqual([path, desired]);
      expect(declared.every((parameter) => parameter?.required === true)).toBe(true);
    }
  });

  it.each(all)('for %s has unique operation ids', (_path, document) => {
    const ids = operations(document).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('paths', () => {
  it.each([
    ['api/v1', '/api/v1/', 'get', 'getCoreV1APIResources'],
    ['api/v1', '/api/v1/pods', 'get', 'listCoreV1PodForAllNamespaces'],
    ['api/v1', '/api/v1/namespaces/{namespace}/pods', 'post', 'createCoreV1NamespacedPod'],
    ['api/v1', '/api/v1/namespaces/{namespace}/pods', 'delete', 'deleteCoreV1CollectionNamespacedPod'],
    ['api/v1', '/api/v1/namespaces/{namespace}/pods/{name}/eviction', 'post', 'createCoreV1NamespacedPodEviction'],
    ['api/v1', '/api/v1/namespaces/{namespace}/pods/{name}/exec', 'get', 'connectCoreV1GetNamespacedPodExec'],
    ['api/v1', '/api/v1/namespaces/{namespace}/pods/{name}/log', 'get', 'readCoreV1NamespacedPodLog'],
    ['api/v1', '/api/v1/nodes/{name}/proxy/{path}', 'head', 'connectCoreV1HeadNodeProxyWithPath'],
    ['api/v1', '/api/v1/watch/namespaces/{namespace}/pods', 'get', 'watchCoreV1NamespacedPodList'],
    ['api/v1', '/api/v1/namespaces/{name}/finalize', 'put', 'replaceCoreV1NamespaceFinalize'],
    [
      'apis/apps/v1',
      '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
      'patch',
      'patchAppsV1NamespacedDeploymentScale',
    ],
    [
      'apis/rbac.authorization.k8s.io/v1',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}',
      'put',
      'replaceRbacAuthorizationV1ClusterRole',
    ],
    [
      'apis/simulation.node-classifier.io/v1alpha1',
      '/apis/simulation.node-classifier.io/v1alpha1/namespaces/{namespace}/virtualmachines/{name}',
      'get',
      'readSimulationNodeClassifierIoV1alpha1NamespacedVirtualMachine',
    ],
    ['apis/apps', '/apis/apps/', 'get', 'getAppsAPIGroup'],
    ['version', '/version/', 'get', 'getCodeVersion'],
  ])('in %s %s %s is %s', (document, path, method, id) => {
    expect(v3(document).paths[path]?.[method]).toMatchObject({ operationId: id });
  });

  it('include /watch/ only for built-in kinds', () => {
    expect(Object.keys(v3('apis/apps/v1').paths).some((path) => path.includes('/watch/'))).toBe(true);
    expect(Object.keys(v3('apis/hypersdk.io/v1alpha1').paths).some((path) => path.includes('/watch/'))).toBe(false);
  });

  /** kubectl uses the first patch of a kind to detect support for fieldValidation and strategic merge. */
  it('declare for every kind whether it supports field validation and strategic merge', () => {
    for (const resource of served.registry.all()) {
      if (!resource.verbs.includes('patch')) continue;
      const { group, version, kind, custom } = resource;
      const patches = operations(v3(documentPath(resource))).filter(
        (operation) =>
          operation.method === 'patch' &&
          operation['x-kubernetes-action'] === 'patch' &&
          JSON.stringify(operation['x-kubernetes-group-version-kind']) === JSON.stringify({ group, version, kind }),
      );
      expect(patches.length).toBeGreaterThan(0);
      for (const { operationId, parameters, requestBody } of patches) {
        const names = parameters?.map(({ name }) => name);
        expect([operationId, names]).toEqual([operationId, ['dryRun', 'fieldManager', 'fieldValidation', 'force']]);
        const strategic = 'application/strategic-merge-patch+json' in (requestBody?.content ?? {});
        expect([operationId, strategic]).toEqual([operationId, !custom]);
      }
    }
  });

  it('cover every verb of every resource', () => {
    const actions: Readonly<Record<string, string>> = { create: 'post', update: 'put', watch: 'watchlist' };
    for (const resource of served.registry.all()) {
      const { plural, verbs, custom } = resource;
      const found = new Set(
        operations(v3(documentPath(resource)))
          .filter(({ path }) => path.split('/').includes(plural))
          .map((operation) => operation['x-kubernetes-action']),
      );
      const desired = verbs.filter((verb) => !(custom && verb === 'watch')).map((verb) => actions[verb] ?? verb);
      expect([plural, desired.filter((action) => !found.has(action))]).toEqual([plural, []]);
    }
  });
});

describe('components', () => {
  it('keep the extensions that a strategic merge needs', () => {
    const { schemas } = v3('apis/apps/v1').components;
    expect(schemas['io.k8s.api.core.v1.PodSpec']?.properties?.['containers']).toMatchObject({
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-list-map-keys': ['name'],
    });
    expect(schemas['io.k8s.api.apps.v1.DeploymentSpec']?.properties?.['strategy']).toEqual({
      description: expect.any(String),
      default: {},
      'x-kubernetes-patch-strategy': 'retainKeys',
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy' }],
    });
  });

  it('distinguish required structures from optional ones', () => {
    const { schemas } = v3('api/v1').components;
    const metadata = {
      default: {},
      allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
    };
    expect(schemas['io.k8s.api.core.v1.Pod']?.properties?.['metadata']).toMatchObject(metadata);
    expect(schemas['io.k8s.api.core.v1.EphemeralContainer']?.properties?.['resources']).toMatchObject({ default: {} });
    expect(schemas['io.k8s.api.core.v1.Affinity']?.properties?.['nodeAffinity']).toEqual({
      $ref: '#/components/schemas/io.k8s.api.core.v1.NodeAffinity',
    });
  });

  it('list DeleteOptions for the group version of their document', () => {
    const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
    expect(v3('apis/autoscaling/v2').components.schemas[name]?.['x-kubernetes-group-version-kind']).toEqual([
      { group: '', kind: 'DeleteOptions', version: 'v1' },
      { group: 'autoscaling', kind: 'DeleteOptions', version: 'v2' },
    ]);
  });

  it('contain the descriptions of the deployed CRDs', () => {
    const { schemas } = v3('apis/hypersdk.io/v1alpha1').components;
    const machine = schemas['io.hypersdk.v1alpha1.VirtualMachine'];
    expect(machine?.description).toMatch(/virtual machine/);
    expect(machine?.['x-kubernetes-group-version-kind']).toEqual([
      { group: 'hypersdk.io', kind: 'VirtualMachine', version: 'v1alpha1' },
    ]);
    expect(v3('apis/hypersdk.io/v1alpha1').info.title).toBe('Kubernetes CRD Swagger');
  });
});

describe('a change of the served resources', () => {
  const [first] = deployedDefinitions();
  if (first === undefined) throw new Error('no definitions');

  it('rebuilds only the documents that it affects', () => {
    const { documents, define } = servedDocuments();
    const apps = documents.v3('apis/apps/v1');
    const [before, v2] = [documents.index(), documents.v2()];
    expect(documents.v2()).toBe(v2);
    define(first);
    expect(documents.v3('apis/apps/v1')).toBe(apps);
    expect(documents.index()).not.toBe(before);
    expect(documents.v2().hash).not.toBe(v2.hash);
  });

  it('changes the hash of a group version, and removes the document with its last resource', () => {
    const { documents, define, registry } = servedDocuments();
    define(first);
    const path = `apis/${first.spec.group}/${first.spec.versions[0]?.name}`;
    const before = documents.v3(path)?.hash;
    const changed = structuredClone(first);
    Object.assign(changed.spec.versions[0]?.schema?.openAPIV3Schema ?? {}, { description: 'Something else.' });
    define(changed);
    expect(documents.v3(path)?.hash).not.toBe(before);
    registry.remove([...registry.all()].filter(({ custom }) => custom));
    expect(documents.v3(path)).toBeUndefined();
    expect(documents.index()).not.toContain(first.spec.group);
  });
});
