import { append } from '#platform/base/append';
import { decodeUtf8 } from '#platform/base/bytes';
import type { Authorize } from '../access/attributes.ts';
import { accessDenied } from '../access-denied.ts';
import type { ObjectKind } from '../admission-plugin.ts';
import { ApiError, badRequest, noSuchResource, notFound } from '../api-error.ts';
import { type Backend, longWorkOf, storeOf, timestamp } from '../backend.ts';
import { textOf } from '../object-text.ts';
import type { Registry } from '../registry.ts';
import type { RequestContext } from '../request-context.ts';
import type { ResourcePath } from '../request-path.ts';
import { apiVersionOf, keyOf, type Subresource } from '../resource.ts';
import type { Review } from '../reviews.ts';
import {
  admitConnection,
  admitCreation,
  kindOf,
  performAction,
  type SubresourceAction,
} from '../subresources/subresource-action.ts';
import { createObject } from '../verbs/create.ts';
import { decodeBody } from '../verbs/decode.ts';
import { type DeleteOptions, deletedStatus, deleteObject } from '../verbs/delete.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { listObjects } from '../verbs/list.ts';
import { APPLY_PATCH, applyObject, checkPatchType, patchObject } from '../verbs/patch.ts';
import { checkReached } from '../verbs/resource-version.ts';
import type { StoredResult } from '../verbs/store-object.ts';
import type { Target } from '../verbs/target.ts';
import { updateObject } from '../verbs/update.ts';
import { watchObjects } from '../verbs/watch.ts';
import type { WatchItems } from '../verbs/watch-item.ts';
import type { ApiRequest } from './api-request.ts';
import { decodePatch, decodeRequest, decodeYaml } from './body.ts';
import { connectOptions } from './connect-options.ts';
import { deleteOptions } from './delete-options.ts';
import { extensionResponse } from './extension-response.ts';
import { asWarnings, problemsInOrder, unknownField } from './field-problems.ts';
import { checkOffered, checkProtobuf, NO_SHAPES, negotiate, negotiateWatch, OBJECT_SHAPES } from './negotiation.ts';
import { noteObject } from './note-object.ts';
import { listOptions, watchFlags } from './options.ts';
import { attributesOf, verbOf } from './request-attributes.ts';
import { requestContextOf, workOf } from './request-context-of.ts';
import { NO_PAGE, routeProblem, verbProblem } from './resource-route.ts';
import { type DraftResponse, type HttpResponse, json, plain, statusResponse } from './response.ts';
import { getScale, writeScale } from './scale-handler.ts';
import { entryResponse, listResponse, watchResponse, writeResponse } from './shapes.ts';
import { subresourceBody } from './subresource-body.ts';
import { warningHeader } from './warning-header.ts';

/** Represents a request for a served resource. */
export interface ResourceRequest extends Target {
  readonly request: ApiRequest;
  readonly path: ResourcePath;
  /** Warnings to send to the client with any response. */
  readonly warnings: string[];
}

/** Returns a warning for the sender of a request, if there is one. */
export type Advise = (request: ApiRequest, path: ResourcePath) => string | undefined;

/** Handles a subresource that is more than a part of its object, such as pods/eviction. */
export type SubresourceHandler = (requested: ResourceRequest, call: RequestContext) => Promise<HttpResponse>;

export interface ResourceHandlerDeps {
  readonly backend: Backend;
  readonly items: WatchItems;
  readonly authorize: Authorize;
  /** Subresources that a node runtime serves, such as pods/log, by `group/plural/subresource`. */
  readonly subresources: ReadonlyMap<string, SubresourceHandler>;
  /** POST actions by `group/plural/subresource`, or by `group/plural` for kinds that are never stored. */
  readonly acts: ReadonlyMap<string, SubresourceAction>;
  /** Reviews by `group/plural`. */
  readonly reviews: ReadonlyMap<string, Review>;
  /** Returns a warning of the program that runs the server. */
  readonly advise?: Advise;
}

/** Handles requests for resources: finds the resource, authorizes the request, and runs the method. */
export function resourceHandler(shared: ResourceHandlerDeps) {
  return async (request: ApiRequest, path: ResourcePath): Promise<DraftResponse> => {
    const parts = ownParts(shared, request);
    const resource = parts.backend.registry.find(path.group, path.version, path.plural);
    const verb = verbOf(request, path);
    const attributes = attributesOf(request, path);
    const { allowed, reason } = parts.authorize(attributes);
    if (!allowed) throw accessDenied(attributes, reason);
    if (path.hasEmptySegment) throw noSuchResource();
    const extension = parts.backend.registry.extension(path.group, path.version);
    if (extension !== undefined) return await extensionResponse(extension, request, path, verb);
    if (resource === undefined) {
      if (isBuiltIn(parts.backend.registry, path.group)) throw noSuchResource();
      return NOTHING_HERE;
    }
    const route = { resource, path, method: request.method, verb };
    const problem = routeProblem(route);
    if (problem === NO_PAGE) return NOTHING_HERE;
    if (problem !== undefined) throw problem;
    const { namespace, name, subresource } = path;
    const warnings = [resource.deprecation, parts.advise?.(request, path)].filter((text) => text !== undefined);
    const requested: ResourceRequest = { request, path, resource, namespace, name, subresource, warnings };
    try {
      const unsupported = verbProblem(route);
      if (unsupported !== undefined) throw unsupported;
      if (!resource.custom && subresource !== 'log' && subresource !== 'proxy') {
        checkOffered(request.header('accept'), verb === 'list' || verb === 'watch');
      }
      const response = await (subresource === ''
        ? onObjects(parts, requested, verb)
        : onSubresource(parts, requested, verb));
      return withWarnings(response, warnings);
    } catch (error) {
      if (!(error instanceof ApiError) || warnings.length === 0) throw error;
      return withWarnings(statusResponse(error.status), warnings);
    }
  };
}

/** Returns the shared dependencies with the thread of the request, whose work ends with its client. */
function ownParts(shared: ResourceHandlerDeps, { thread }: ApiRequest): ResourceHandlerDeps {
  return thread === undefined ? shared : { ...shared, backend: { ...shared.backend, thread } };
}

const NOTHING_HERE = plain(404, '404 page not found\n');

function isBuiltIn(registry: Registry, group: string): boolean {
  for (const resource of registry.all()) if (!resource.custom && resource.group === group) return true;
  return false;
}

async function onObjects(parts: ResourceHandlerDeps, requested: ResourceRequest, verb: string): Promise<DraftResponse> {
  // A client that accepts no available format is rejected before anything is done.
  checkProtobuf(requested.resource, requested.request.header('accept'), verb === 'list');
  switch (verb) {
    case 'get':
      return await get(parts, requested);
    case 'list':
      return await list(parts, requested);
    case 'watch':
      return watch(parts, requested);
    case 'create':
      return await create(parts, requested);
    case 'update':
      return await update(parts, requested);
    case 'patch':
      return await patch(parts, requested);
    case 'delete':
      return await remove(parts, requested);
    default:
      return await removeAll(parts, requested);
  }
}

async function onSubresource(
  parts: ResourceHandlerDeps,
  requested: ResourceRequest,
  verb: string,
): Promise<HttpResponse> {
  const { resource, subresource, request } = requested;
  const { backend } = parts;
  const known = resource.subresources.get(subresource);
  if (known === undefined) throw noSuchResource();
  const name = `${resource.group}/${resource.plural}/${subresource}`;
  const connect = parts.subresources.get(name);
  if (connect !== undefined) return await connect(requested, requestContextOf(requested, 'CreateOptions').call);
  checkProtobuf(resource, request.header('accept'), false);
  const act = parts.acts.get(name);
  if (act !== undefined) return await performPost(backend, requested, act, kindOf(known));
  if (resource.scale !== undefined && subresource === 'scale') {
    if (verb === 'get') return await getScale(backend, requested, resource.scale);
    const applies = verb === 'patch' && isApply(request);
    const { call, options } = requestContextOf(requested, verb === 'patch' ? 'PatchOptions' : 'UpdateOptions', applies);
    if (verb === 'patch') checkPatchType(resource, mediaType(request));
    const write = { backend, target: requested, paths: resource.scale, request, call };
    return await writeScale(write, verb, options.force ?? false);
  }
  if (known.kind !== resource.kind || subresource === 'log') throw await connectionError(backend, requested, known);
  if (verb === 'get') return await get(parts, requested);
  return verb === 'update' ? await update(parts, requested) : await patch(parts, requested);
}

/** Handles a POST that creates no object of its own. */
async function performPost(
  backend: Backend,
  requested: ResourceRequest,
  act: SubresourceAction,
  kind: ObjectKind,
): Promise<HttpResponse> {
  const { call } = requestContextOf(requested, 'CreateOptions');
  const body = await subresourceBody(requested.request, kind, call, longWorkOf(backend, call.user));
  return json(201, JSON.stringify(await performAction(backend, act, requested, kind, body, call)));
}

/** Rejects a request that only a node could serve, after admission had the chance to deny it. */
async function connectionError(backend: Backend, requested: ResourceRequest, known: Subresource): Promise<ApiError> {
  const { resource, subresource, request, path } = requested;
  if (subresource !== 'log') {
    const options = connectOptions(kindOf(known), request.query, path.rest);
    await admitConnection(
      backend,
      requested,
      kindOf(known),
      options,
      requestContextOf(requested, 'CreateOptions').call,
    );
  }
  const name = parseConnectName(requested.name);
  if (storeOf(backend, resource).get(keyOf(resource, requested.namespace, name)) === undefined) {
    return notFound(resource, name);
  }
  const named = `${resource.plural}/${subresource}`;
  return new ApiError(501, 'NotImplemented', `the subresource ${named} is not served by this control plane`);
}

/** Returns the name of the object to connect to, which may include scheme and port: `https:name:port`. */
function parseConnectName(text: string): string {
  const [first = '', second] = text.split(':');
  return text.split(':').length > 2 ? (second ?? '') : first;
}

async function get(
  { backend }: ResourceHandlerDeps,
  { request, resource, namespace, name }: ResourceRequest,
): Promise<HttpResponse> {
  const store = storeOf(backend, resource);
  const requested = request.query.get('resourceVersion');
  if (requested !== null) checkReached(store, requested);
  const entry = store.get(keyOf(resource, namespace, name));
  if (entry === undefined || (resource.namespaced && namespace === '')) throw notFound(resource, name);
  return await entryResponse(backend, request, resource, entry);
}

async function list(
  { backend }: ResourceHandlerDeps,
  { request, resource, namespace }: ResourceRequest,
): Promise<DraftResponse> {
  const listing = await listObjects(backend, resource, namespace, {
    ...listOptions(request.query),
    ...workOf(request),
  });
  return await listResponse(backend, request, resource, listing);
}

function watch(
  { backend, items }: ResourceHandlerDeps,
  { request, resource, namespace, name }: ResourceRequest,
): HttpResponse {
  const { query, signal } = request;
  const options = listOptions(query);
  const fieldSelector = [options.fieldSelector, name === '' ? undefined : `metadata.name=${name}`];
  const chosen = fieldSelector.filter((part) => part !== undefined).join(',');
  const watching = {
    ...options,
    ...watchFlags(query),
    ...workOf(request),
    signal,
    ...(chosen === '' ? {} : { fieldSelector: chosen }),
  };
  negotiateWatch(request.header('accept'));
  return watchResponse(backend, request, resource, watchObjects(backend, items, resource, namespace, watching), items);
}

async function create(parts: ResourceHandlerDeps, requested: ResourceRequest): Promise<HttpResponse> {
  const { resource, namespace, request } = requested;
  const review = parts.reviews.get(`${resource.group}/${resource.plural}`);
  negotiate(request.header('accept'), review === undefined ? OBJECT_SHAPES : NO_SHAPES);
  const act = parts.acts.get(`${resource.group}/${resource.plural}`);
  if (act !== undefined) return await performPost(parts.backend, requested, act, resource);
  const { body, call } = await objectOf(parts.backend, requested, requestContextOf(requested, 'CreateOptions').call);
  if (review !== undefined) {
    const header = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
    const question = { ...decodeBody(resource, body, call), ...header };
    const writer = { manager: call.fieldManager, subresource: '', time: timestamp(parts.backend.clock) };
    parts.backend.fields.record(resource, question, undefined, writer);
    const admitted = await admitCreation(parts.backend, requested, question, call);
    const object = await review(admitted, request.user, namespace);
    return json(201, textOf({ ...object, ...header }));
  }
  const written = await createObject(parts.backend, resource, namespace, body, call);
  return writeResponse(parts.backend, request, resource, written);
}

async function update(parts: ResourceHandlerDeps, requested: ResourceRequest): Promise<HttpResponse> {
  if (requested.name === '') throw badRequest(NAMELESS);
  const { body, call } = await objectOf(parts.backend, requested, requestContextOf(requested, 'UpdateOptions').call);
  const written = await updateObject(parts.backend, requested, body, call);
  return writeResponse(parts.backend, requested.request, requested.resource, written);
}

async function patch(parts: ResourceHandlerDeps, requested: ResourceRequest): Promise<HttpResponse> {
  const { request, resource } = requested;
  const { call, options } = requestContextOf(requested, 'PatchOptions', isApply(request));
  const type = mediaType(request);
  if (requested.name === '') throw badRequest(NAMELESS);
  checkPatchType(resource, type);
  const text = decodeUtf8(await request.body());
  const written = await (type === APPLY_PATCH
    ? applyText(parts, requested, text, options.force ?? false, call)
    : patchText(parts, requested, type, text, call));
  return writeResponse(parts.backend, request, resource, written);
}

async function applyText(
  { backend }: ResourceHandlerDeps,
  requested: ResourceRequest,
  text: string,
  force: boolean,
  call: RequestContext,
): Promise<StoredResult> {
  const { value, duplicates } = await decodeYaml(text, requested.resource.kind, longWorkOf(backend, call.user));
  reportDuplicates(duplicates, call);
  return await applyObject(backend, requested, value, force, { ...call, size: text.length });
}

async function patchText(
  { backend }: ResourceHandlerDeps,
  requested: ResourceRequest,
  type: string,
  text: string,
  call: RequestContext,
): Promise<StoredResult> {
  const { value, duplicates } = await decodePatch(text, type, requested.resource.kind, longWorkOf(backend, call.user));
  const problems = (unknown: readonly string[]) => [...duplicates, ...unknown.map(unknownField)];
  const sized = { ...call, size: text.length };
  return await patchObject(backend, requested, type, value, duplicates.length === 0 ? sized : { ...sized, problems });
}

const mediaType = (request: ApiRequest): string => request.header('content-type')?.split(';')[0]?.trim() ?? '';
const NAMELESS = 'name must be provided';
const isApply = (request: ApiRequest): boolean => request.header('content-type')?.startsWith(APPLY_PATCH) === true;

/** Handles duplicate keys in a configuration: rejects, warns or ignores, as the client requested. */
function reportDuplicates([found]: readonly string[], { fieldValidation, warnings }: RequestContext): void {
  if (found === undefined || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${found}`);
  }
  append(warnings, asWarnings([found]));
}

async function remove(parts: ResourceHandlerDeps, requested: ResourceRequest): Promise<HttpResponse> {
  const options = await deleteOptions(requested.request, longWorkOf(parts.backend, requested.request.user));
  const { call } = requestContextOf(requested, 'DeleteOptions');
  warnOfOrphans(requested, options);
  const deleted = await deleteObject(parts.backend, requested, options, {
    ...call,
    dryRun: call.dryRun || options.dryRun !== undefined,
  });
  const { resource, request } = requested;
  if (deleted.gone && resource.strategy.answersDeleted !== true) {
    return statusResponse(deletedStatus(resource, deleted.object));
  }
  const last = deleted.gone ? { object: deleted.object, text: textOf(deleted.object) } : deleted.written;
  const response = writeResponse(parts.backend, request, resource, { ...last, created: false });
  // A client that requests deletion of dependents learns that it is still in progress.
  return !deleted.gone && options.orphanDependents === false ? { ...response, status: 202 } : response;
}

function warnOfOrphans({ resource, warnings }: ResourceRequest, options: DeleteOptions): void {
  const { orphanWarning } = resource.strategy;
  const unsaid = options.propagationPolicy === undefined && options.orphanDependents === undefined;
  if (orphanWarning !== undefined && unsaid) warnings.push(orphanWarning);
}

async function removeAll(parts: ResourceHandlerDeps, requested: ResourceRequest): Promise<DraftResponse> {
  const { request, resource, namespace } = requested;
  const options = await deleteOptions(requested.request, longWorkOf(parts.backend, requested.request.user));
  const { call } = requestContextOf(requested, 'DeleteOptions');
  warnOfOrphans(requested, options);
  const dryRun = call.dryRun || options.dryRun !== undefined;
  const listing = await deleteCollection(parts.backend, resource, namespace, listOptions(request.query), options, {
    ...call,
    dryRun,
  });
  return await listResponse(parts.backend, request, resource, listing);
}

/** Returns the object in the body, and a context that knows its duplicate keys. */
async function objectOf(
  backend: Backend,
  { request, resource }: ResourceRequest,
  requested: RequestContext,
): Promise<{ body: unknown; call: RequestContext }> {
  const expected = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const { value: body, duplicates, text } = await decodeRequest(request, expected, longWorkOf(backend, request.user));
  const call = { ...requested, size: (await request.body()).length };
  noteObject(request, body);
  if (duplicates.length === 0) return { body, call };
  const problems = (unknown: readonly string[]): readonly string[] => {
    const inOrder = text !== undefined && !resource.custom;
    const found = inOrder ? problemsInOrder(text, unknown) : [...duplicates, ...unknown.map(unknownField)];
    return call.fieldValidation === 'Warn' ? asWarnings(found) : found;
  };
  return { body, call: { ...call, problems } };
}

/** Adds the warnings to a response; all of them are one header. */
function withWarnings<A extends DraftResponse>(response: A, warnings: readonly string[]): A {
  if (warnings.length === 0 || 'upgraded' in response) return response;
  return { ...response, headers: { ...response.headers, warning: warningHeader(warnings) } };
}
