import { KINDS } from '#api/kinds';
import { realClock } from '#platform/base/clock';
import { FakeClock } from '#platform/base/fake-clock';
import { seededRandom } from '#platform/base/random';
import type { KubeObject } from '#platform/kube/kube-object';
import { crdOf } from '#platform/schema/crd';
import { AUTHENTICATED, MASTERS, type User } from '../access/user.ts';
import type { AddPlugins } from '../admission-plugin.ts';
import { ApiError, type Status } from '../api-error.ts';
import { renameVersion } from '../apiextensions/conversion.ts';
import type { Crd } from '../apiextensions/crd.ts';
import { customResources } from '../apiextensions/custom-resource.ts';
import type { Backend } from '../backend.ts';
import { builtInResources } from '../builtin-resources.ts';
import { FieldManagement } from '../field-management.ts';
import { CommitShare } from '../flow-control/commit-share.ts';
import { ThreadShare } from '../flow-control/thread-share.ts';
import { localEncoder } from '../http/local-encoder.ts';
import { YamlReader } from '../http/yaml-reader.ts';
import { kindParts } from '../kind-parts.ts';
import { nodeHost } from '../node-host.ts';
import { textOf } from '../object-text.ts';
import { ParsedObjects } from '../parsed-objects.ts';
import { Registry } from '../registry.ts';
import type { RequestContext } from '../request-context.ts';
import { apiVersionOf, keyOf } from '../resource.ts';
import { indexRoles } from '../role-index.ts';
import { openMemoryStore } from '../store/memory-store.ts';
import { createObject } from '../verbs/create.ts';
import { deleteObject } from '../verbs/delete.ts';
import { MERGE_PATCH, patchObject } from '../verbs/patch.ts';
import { admissionChain, type ChainDeps } from './chain.ts';

/** Verbs of an API server with its whole admission chain, without HTTP. */
export interface Cluster {
  readonly backend: Backend;
  readonly clock: FakeClock;
  /** Warnings of the last write. */
  readonly warnings: readonly string[];
  create(path: string, object: object, how?: How): Promise<KubeObject>;
  patch(path: string, patch: object, how?: How): Promise<KubeObject>;
  delete(path: string, how?: How): Promise<KubeObject>;
  /** Stores an object without any checks, as an older server might have. */
  plant(path: string, object: object): Promise<void>;
  /** Returns the object as stored. */
  get(path: string): KubeObject | undefined;
  /** Returns the Status with which a write is rejected. */
  refused(write: Promise<unknown>): Promise<Status>;
}

export interface How {
  readonly user?: User;
  readonly dryRun?: boolean;
}

export const OPERATOR: User = {
  name: 'system:serviceaccount:vimana-system:vimana-operator',
  groups: [AUTHENTICATED],
};
const ADMIN: User = { name: 'admin', groups: [MASTERS, AUTHENTICATED] };

type Chosen = Partial<ChainDeps> & { readonly plugins?: AddPlugins };

/** Creates a cluster. Paths are `plural[.group]/[namespace/]name[/subresource]`, without the name for creation. */
export async function testCluster({ plugins, ...parts }: Chosen = {}): Promise<Cluster> {
  const clock = new FakeClock();
  const random = seededRandom('admission');
  const stores = { main: openMemoryStore({ clock }), events: openMemoryStore({ clock }) };
  const registry = new Registry();
  registry.add(builtInResources(kindParts));
  for (const kind of KINDS) registry.add(customResources(crdOf(kind) as unknown as Crd, renameVersion));
  const parsed = new ParsedObjects();
  const { signal } = new AbortController();
  const rbac = indexRoles(stores.main, registry, parsed, signal);
  const source = { store: stores.main, registry, parsed };
  const chain = admissionChain({
    source,
    random,
    access: {
      authorize: rbac.authorize.bind(rbac),
      rulesFor: rbac.rulesFor.bind(rbac),
      rulesOf: rbac.rulesOf.bind(rbac),
    },
    signal,
    clock: realClock,
    host: nodeHost(realClock, signal),
    ...parts,
  });
  const client = () => {
    throw new Error('this cluster has no clients');
  };
  if (plugins !== undefined) chain.add(plugins({ source, authorize: rbac.authorize.bind(rbac), client }));
  const backend: Backend = {
    stores,
    registry,
    parsed,
    admission: chain.plugins,
    authorize: rbac.authorize.bind(rbac),
    fields: new FieldManagement(() => []),
    clock,
    random,
    thread: new ThreadShare(clock),
    commits: new CommitShare(clock),
    yaml: new YamlReader(clock),
    encoder: localEncoder,
  };
  let warnings: string[] = [];
  const callOf = ({ user = ADMIN, dryRun = false }: How = {}): RequestContext => {
    warnings = [];
    return { user, fieldManager: 'test', dryRun, fieldValidation: 'Strict', warnings, signal };
  };
  const targetOf = (path: string) => {
    const [named = '', ...rest] = path.split('/');
    const dot = named.indexOf('.');
    const [plural, group] = dot < 0 ? [named, ''] : [named.slice(0, dot), named.slice(dot + 1)];
    const resource = [...registry.all()].find((each) => each.plural === plural && each.group === group);
    if (resource === undefined) throw new Error(`no resource ${named}`);
    const namespace = resource.namespaced ? (rest.shift() ?? '') : '';
    const [name = '', subresource = ''] = rest;
    return { resource, namespace, name, subresource };
  };
  const cluster: Cluster = {
    backend,
    clock,
    get warnings() {
      return warnings;
    },
    async create(path, object, how) {
      const { resource, namespace } = targetOf(path);
      const body = structuredClone({ metadata: {}, ...object });
      return (await createObject(backend, resource, namespace, body, callOf(how))).object;
    },
    async patch(path, patch, how) {
      return (await patchObject(backend, targetOf(path), MERGE_PATCH, structuredClone(patch), callOf(how))).object;
    },
    async delete(path, how) {
      const deleted = await deleteObject(backend, targetOf(path), {}, callOf(how));
      return deleted.gone ? deleted.object : deleted.written.object;
    },
    async plant(path, object) {
      const { resource, namespace, name } = targetOf(path);
      const header = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
      const metadata = { name, ...(namespace === '' ? {} : { namespace }), uid: random.uuid() };
      await stores.main.put(keyOf(resource, namespace, name), textOf({ ...header, metadata, ...object }));
    },
    get(path) {
      const { resource, namespace, name } = targetOf(path);
      const entry = stores[resource.storage.store].get(keyOf(resource, namespace, name));
      return entry === undefined ? undefined : parsed.get(entry);
    },
    async refused(write) {
      const error = await write.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error instanceof ApiError) return error.status;
      throw error instanceof Error ? error : new Error('the write was not refused');
    },
  };
  await cluster.create('namespaces', { metadata: { name: 'x' } });
  await cluster.create('serviceaccounts/x', { metadata: { name: 'default' } });
  return cluster;
}

/** Builds a pod with one container and additional fields. */
export function podOf(spec: object = {}, metadata: object = {}): object {
  return { metadata: { name: 'a', ...metadata }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
}
