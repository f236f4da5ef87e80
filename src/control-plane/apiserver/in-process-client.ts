import { copyJson } from '#platform/base/json-copy';
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  KubeList,
  ListOptions,
  NewObject,
  ObjectOptions,
  Patch,
  ResourceType,
  WatchEvent,
  Watching,
  WatchOptions,
  WriteOptions,
} from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Authorize } from './access/attributes.ts';
import { nameSelected } from './access/name-selected.ts';
import type { User } from './access/user.ts';
import { accessDenied } from './access-denied.ts';
import { ApiError, internal, methodNotAllowed, noSuchResource, notFound, type Status } from './api-error.ts';
import { type Backend, storeOf } from './backend.ts';
import type { RequestContext } from './request-context.ts';
import { authorizedNamespace } from './request-path.ts';
import { apiVersionOf, keyOf, type Resource } from './resource.ts';
import { routedClient, type StoreClient } from './routed-client.ts';
import { kindOf, performAction, type SubresourceAction } from './subresources/subresource-action.ts';
import { createObject } from './verbs/create.ts';
import { deleteObject } from './verbs/delete.ts';
import { deleteCollection } from './verbs/delete-collection.ts';
import { listedObjects, listObjects } from './verbs/list.ts';
import { applyObject, JSON_PATCH, MERGE_PATCH, patchObject, STRATEGIC_PATCH } from './verbs/patch.ts';
import { viewOf } from './verbs/target.ts';
import { updateObject } from './verbs/update.ts';
import { watchObjects } from './verbs/watch.ts';
import type { WatchItems } from './verbs/watch-item.ts';

export interface InProcessClientDeps {
  readonly backend: Backend;
  readonly items: WatchItems;
  readonly authorize: Authorize;
  /** Actions by `group/plural/subresource`. */
  readonly acts: ReadonlyMap<string, SubresourceAction>;
  /** Serves everything beyond the verbs on stored objects, such as documents and extensions. */
  readonly remote: Client;
  /** User that the client acts as. The same authorization and admission apply as over HTTP. */
  readonly user: User;
  readonly fieldManager: string;
}

const PATCH_TYPES = { json: JSON_PATCH, merge: MERGE_PATCH, strategic: STRATEGIC_PATCH } as const;

/** Creates an in-process client, which uses no HTTP and serializes only what the store needs. */
export function inProcessClient(parts: InProcessClientDeps): Client {
  const { registry } = parts.backend;
  // Objects that can be created but not read again, such as a review or a binding, are not stored.
  const isStored = ({ group, version, plural }: ResourceType): boolean =>
    registry.extension(group, version) === undefined &&
    registry.find(group, version, plural)?.verbs.includes('get') !== false;
  return routedClient(storeClient(parts), parts.remote, isStored);
}

function storeClient(parts: InProcessClientDeps): StoreClient {
  const access = new UserAccess(parts);
  return {
    ...readVerbs(access),
    watch: (type, options = {}) => watching(access, parts.items, type, options),
    ...writeVerbs(access),
    ...patchVerbs(access),
    ...deleteVerbs(access),
    act: actVerb(access, parts.acts),
  };
}

/** Authorizes the requests of one user. */
class UserAccess {
  readonly backend: Backend;
  readonly #parts: InProcessClientDeps;

  constructor(parts: InProcessClientDeps) {
    this.backend = parts.backend;
    this.#parts = parts;
  }

  /** Returns a resource that the user may access. Throws if access is denied or nothing is served there. */
  resource(type: ResourceType, verb: string, name: string, options: ObjectOptions, subresource = ''): Resource {
    const { group, version, plural } = type;
    const { user } = this.#parts;
    const namespace = authorizedNamespace(plural, options.namespace ?? '', name);
    const attributes = { user, verb, group, resource: plural, subresource, namespace, name };
    const { allowed, reason } = this.#parts.authorize(attributes);
    if (!allowed) throw accessDenied(attributes, reason);
    const resource = this.backend.registry.find(group, version, plural);
    if (resource === undefined) throw noSuchResource();
    return resource;
  }

  target(type: ResourceType, verb: string, name: string, options: WriteOptions) {
    const subresource = options.subresource ?? '';
    const resource = this.resource(type, verb, name, options, subresource);
    if (subresource !== '' && !resource.subresources.has(subresource)) throw noSuchResource();
    return { resource, namespace: options.namespace ?? '', name, subresource };
  }

  context(options: WriteOptions): RequestContext {
    const { user, fieldManager } = this.#parts;
    return {
      user,
      fieldManager: options.fieldManager ?? fieldManager,
      ...(options.fieldManager === undefined ? {} : { sent: { fieldManager: options.fieldManager } }),
      dryRun: options.dryRun ?? false,
      fieldValidation: options.fieldValidation ?? 'Warn',
      warnings: [],
      signal: options.signal ?? NEVER,
    };
  }
}

function readVerbs(access: UserAccess): Pick<StoreClient, 'get' | 'list'> {
  return {
    get: guard(async <T extends KubeObject>(type: ResourceType<T>, name: string, options: ObjectOptions = {}) => {
      const resource = access.resource(type, 'get', name, options);
      const entry = storeOf(access.backend, resource).get(keyOf(resource, options.namespace ?? '', name));
      if (entry === undefined) throw notFound(resource, name);
      return (await viewOf(access.backend, resource, entry)) as T;
    }),

    list: guard(
      async <T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<KubeList<T>> => {
        const resource = access.resource(type, 'list', nameSelected(options.fieldSelector), options);
        const { entries, metadata } = await listObjects(access.backend, resource, options.namespace ?? '', options);
        return { metadata, items: (await listedObjects(access.backend, resource, entries)) as readonly T[] };
      },
    ),
  };
}

function watching<T extends KubeObject>(
  access: UserAccess,
  items: WatchItems,
  type: ResourceType<T>,
  options: WatchOptions,
): Watching<T> {
  async function* batches(): AsyncGenerator<readonly WatchEvent<T>[]> {
    try {
      const resource = access.resource(type, 'watch', nameSelected(options.fieldSelector), options);
      const signal = options.signal ?? NEVER;
      const match = options.sendInitialEvents === undefined ? {} : { resourceVersionMatch: 'NotOlderThan' };
      const limits = { ...options, ...match, signal };
      for await (const batch of watchObjects(access.backend, items, resource, options.namespace ?? '', limits)) {
        // An error is always alone in its batch, and last.
        const [first] = batch;
        if (first?.type === 'ERROR') throw errorOf(first.object as Status);
        yield batch as readonly WatchEvent<T>[];
      }
    } catch (error) {
      throw kubeError(error);
    }
  }
  async function* events(): AsyncGenerator<WatchEvent<T>> {
    for await (const batch of batches()) yield* batch;
  }
  return { batches, [Symbol.asyncIterator]: events };
}

function writeVerbs(access: UserAccess): Pick<StoreClient, 'create' | 'update'> {
  return {
    create: guard(
      async <T extends KubeObject>(type: ResourceType<T>, object: NewObject<T>, options: WriteOptions = {}) => {
        const namespace = options.namespace ?? object.metadata.namespace ?? '';
        const resource = access.resource(type, 'create', '', { ...options, namespace });
        const body = { apiVersion: apiVersionOf(type), kind: type.kind, ...ownCopy(resource, object) };
        return (await createObject(access.backend, resource, namespace, body, access.context(options))).object as T;
      },
    ),

    update: guard(async <T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}) => {
      const { namespace = '', name = '' } = object.metadata;
      const target = access.target(type, 'update', name, { namespace, ...options });
      const sent = target.subresource === 'status' ? statusOf(object) : object;
      return (await updateObject(access.backend, target, ownCopy(target.resource, sent), access.context(options)))
        .object as T;
    }),
  };
}

function patchVerbs(access: UserAccess): Pick<StoreClient, 'patch' | 'apply'> {
  return {
    patch: guard(
      async <T extends KubeObject>(type: ResourceType<T>, name: string, patch: Patch, options: WriteOptions = {}) => {
        const target = access.target(type, 'patch', name, options);
        const body = copyJson(patch.body);
        return (await patchObject(access.backend, target, PATCH_TYPES[patch.type], body, access.context(options)))
          .object as T;
      },
    ),

    apply: guard(async <T extends KubeObject>(type: ResourceType<T>, config: NewObject<T>, options: ApplyOptions) => {
      const namespace = options.namespace ?? config.metadata.namespace ?? '';
      const target = access.target(type, 'patch', config.metadata.name ?? '', { ...options, namespace });
      const body = { apiVersion: apiVersionOf(type), kind: type.kind, ...copyJson(config) };
      return (await applyObject(access.backend, target, body, options.force ?? false, access.context(options)))
        .object as T;
    }),
  };
}

function deleteVerbs(access: UserAccess): Pick<StoreClient, 'delete' | 'deleteCollection'> {
  return {
    delete: guard(async <T extends KubeObject>(type: ResourceType<T>, name: string, options: DeleteOptions = {}) => {
      const target = access.target(type, 'delete', name, options);
      const { signal: _signal, namespace: _namespace, dryRun = false, ...rest } = options;
      const deleted = await deleteObject(access.backend, target, rest, access.context({ ...options, dryRun }));
      return deleted.gone ? undefined : (deleted.written.object as T);
    }),

    deleteCollection: guard(async (type: ResourceType, options: DeleteOptions & ListOptions = {}) => {
      const resource = access.resource(type, 'deletecollection', '', options);
      const { gracePeriodSeconds, propagationPolicy } = options;
      const how = {
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      };
      await deleteCollection(access.backend, resource, options.namespace ?? '', options, how, access.context(options));
    }),
  };
}

function actVerb(access: UserAccess, acts: InProcessClientDeps['acts']): StoreClient['act'] {
  return guard(
    async (type: ResourceType, name: string, subresource: string, body: object, options: WriteOptions = {}) => {
      const target = access.target(type, 'create', name, { ...options, subresource });
      const act = acts.get(`${type.group}/${type.plural}/${subresource}`);
      const known = target.resource.subresources.get(subresource);
      if (act === undefined || known === undefined) throw methodNotAllowed();
      const kind = kindOf(known);
      const header = { apiVersion: apiVersionOf(kind), kind: kind.kind };
      const sent = { ...header, ...copyJson({ metadata: {}, ...body }) } as KubeObject;
      return (await performAction(access.backend, act, target, kind, sent, access.context(options))) as KubeObject;
    },
  );
}

const NEVER = new AbortController().signal;

/** Returns a copy of the given object that the server may modify. */
function ownCopy<T extends object>({ shape }: Resource, object: T): T {
  return shape.copies ? object : copyJson(object);
}

/** Returns the parts of an object that a status update uses. */
function statusOf(object: KubeObject): KubeObject {
  const { apiVersion, kind, status, metadata } = object;
  const { managedFields: _theServers, ...known } = metadata;
  return { apiVersion, kind, metadata: known, ...(status === undefined ? {} : { status }) };
}

/** Converts errors to those that any other client throws. */
function guard<A extends unknown[], R>(action: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await action(...args);
    } catch (error) {
      throw kubeError(error);
    }
  };
}

function kubeError(error: unknown): unknown {
  if (error instanceof KubeError) return error;
  const known = error instanceof ApiError ? error : internal(error);
  return new KubeError(known.code, known.reason, known.message, known.details, { cause: error });
}

function errorOf({ code = 500, reason = '', message = '', details }: Status): KubeError {
  return new KubeError(code, reason, message, details);
}
