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
  const { backend, user } = parts;

  function found(type: ResourceType, verb: string, name: string, options: ObjectOptions, subresource = ''): Resource {
    const { group, version, plural } = type;
    const namespace = authorizedNamespace(plural, options.namespace ?? '', name);
    const attributes = { user, verb, group, resource: plural, subresource, namespace, name };
    const { allowed, reason } = parts.authorize(attributes);
    if (!allowed) throw accessDenied(attributes, reason);
    const resource = backend.registry.find(group, version, plural);
    if (resource === undefined) throw noSuchResource();
    return resource;
  }

  function callOf(options: WriteOptions): RequestContext {
    return {
      user,
      fieldManager: options.fieldManager ?? parts.fieldManager,
      ...(options.fieldManager === undefined ? {} : { sent: { fieldManager: options.fieldManager } }),
      dryRun: options.dryRun ?? false,
      fieldValidation: options.fieldValidation ?? 'Warn',
      warnings: [],
      signal: options.signal ?? NEVER,
    };
  }

  function targetOf(type: ResourceType, verb: string, name: string, options: WriteOptions) {
    const subresource = options.subresource ?? '';
    const resource = found(type, verb, name, options, subresource);
    if (subresource !== '' && !resource.subresources.has(subresource)) throw noSuchResource();
    return { resource, namespace: options.namespace ?? '', name, subresource };
  }

  return {
    get: guard(async <T extends KubeObject>(type: ResourceType<T>, name: string, options: ObjectOptions = {}) => {
      const resource = found(type, 'get', name, options);
      const entry = storeOf(backend, resource).get(keyOf(resource, options.namespace ?? '', name));
      if (entry === undefined) throw notFound(resource, name);
      return (await viewOf(backend, resource, entry)) as T;
    }),

    list: guard(
      async <T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<KubeList<T>> => {
        const resource = found(type, 'list', nameSelected(options.fieldSelector), options);
        const { entries, metadata } = await listObjects(backend, resource, options.namespace ?? '', options);
        return { metadata, items: (await listedObjects(backend, resource, entries)) as readonly T[] };
      },
    ),

    watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions = {}): Watching<T> {
      async function* batches(): AsyncGenerator<readonly WatchEvent<T>[]> {
        try {
          const resource = found(type, 'watch', nameSelected(options.fieldSelector), options);
          const signal = options.signal ?? NEVER;
          const match = options.sendInitialEvents === undefined ? {} : { resourceVersionMatch: 'NotOlderThan' };
          const limits = { ...options, ...match, signal };
          for await (const batch of watchObjects(backend, parts.items, resource, options.namespace ?? '', limits)) {
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
    },

    create: guard(
      async <T extends KubeObject>(type: ResourceType<T>, object: NewObject<T>, options: WriteOptions = {}) => {
        const namespace = options.namespace ?? object.metadata.namespace ?? '';
        const resource = found(type, 'create', '', { ...options, namespace });
        const body = { apiVersion: apiVersionOf(type), kind: type.kind, ...ownCopy(resource, object) };
        return (await createObject(backend, resource, namespace, body, callOf(options))).object as T;
      },
    ),

    update: guard(async <T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}) => {
      const { namespace = '', name = '' } = object.metadata;
      const target = targetOf(type, 'update', name, { namespace, ...options });
      const sent = target.subresource === 'status' ? statusOf(object) : object;
      return (await updateObject(backend, target, ownCopy(target.resource, sent), callOf(options))).object as T;
    }),

    patch: guard(
      async <T extends KubeObject>(type: ResourceType<T>, name: string, patch: Patch, options: WriteOptions = {}) => {
        const target = targetOf(type, 'patch', name, options);
        const body = copyJson(patch.body);
        return (await patchObject(backend, target, PATCH_TYPES[patch.type], body, callOf(options))).object as T;
      },
    ),

    apply: guard(async <T extends KubeObject>(type: ResourceType<T>, config: NewObject<T>, options: ApplyOptions) => {
      const namespace = options.namespace ?? config.metadata.namespace ?? '';
      const target = targetOf(type, 'patch', config.metadata.name ?? '', { ...options, namespace });
      const body = { apiVersion: apiVersionOf(type), kind: type.kind, ...copyJson(config) };
      return (await applyObject(backend, target, body, options.force ?? false, callOf(options))).object as T;
    }),

    delete: guard(async <T extends KubeObject>(type: ResourceType<T>, name: string, options: DeleteOptions = {}) => {
      const target = targetOf(type, 'delete', name, options);
      const { signal: _signal, namespace: _namespace, dryRun = false, ...rest } = options;
      const deleted = await deleteObject(backend, target, rest, callOf({ ...options, dryRun }));
      return deleted.gone ? undefined : (deleted.written.object as T);
    }),

    deleteCollection: guard(async (type: ResourceType, options: DeleteOptions & ListOptions = {}) => {
      const resource = found(type, 'deletecollection', '', options);
      const { gracePeriodSeconds, propagationPolicy } = options;
      const how = {
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      };
      await deleteCollection(backend, resource, options.namespace ?? '', options, how, callOf(options));
    }),

    act: guard(
      async (type: ResourceType, name: string, subresource: string, body: object, options: WriteOptions = {}) => {
        const target = targetOf(type, 'create', name, { ...options, subresource });
        const act = parts.acts.get(`${type.group}/${type.plural}/${subresource}`);
        const known = target.resource.subresources.get(subresource);
        if (act === undefined || known === undefined) throw methodNotAllowed();
        const kind = kindOf(known);
        const header = { apiVersion: apiVersionOf(kind), kind: kind.kind };
        const sent = { ...header, ...copyJson({ metadata: {}, ...body }) } as KubeObject;
        return (await performAction(backend, act, target, kind, sent, callOf(options))) as KubeObject;
      },
    ),
  };
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
