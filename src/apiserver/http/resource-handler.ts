import type { Authorize } from '../access/attributes.ts';
import type { ObjectKind } from '../admission-plugin.ts';
import { ApiError, badRequest, methodNotAllowed, noSuchResource, notFound } from '../api-error.ts';
import { type Backend, storeOf } from '../backend.ts';
import type { Call } from '../call.ts';
import { textOf } from '../object-text.ts';
import type { ResourcePath } from '../request-path.ts';
import { apiVersionOf, keyOf, type Resource, type Subresource } from '../resource.ts';
import type { Review } from '../reviews.ts';
import { type Act, admitConnection, admitCreation, kindOf, perform } from '../subresources/act.ts';
import { createObject } from '../verbs/create.ts';
import { decodeBody } from '../verbs/decode.ts';
import { deletedStatus, deleteObject } from '../verbs/delete.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { listObjects } from '../verbs/list.ts';
import { APPLY_PATCH, applyObject, patchObject } from '../verbs/patch.ts';
import { checkReached } from '../verbs/resource-version.ts';
import type { Target } from '../verbs/target.ts';
import { updateObject } from '../verbs/update.ts';
import { watchObjects } from '../verbs/watch.ts';
import type { WatchItems } from '../verbs/watch-item.ts';
import type { Written } from '../verbs/written.ts';
import { type Answer, type Draft, json, statusAnswer } from './answer.ts';
import type { ApiRequest } from './api-request.ts';
import { decodePatch, decodeRequest, decodeYaml } from './body.ts';
import { connectOptions } from './connect-options.ts';
import { deleteOptions } from './delete-options.ts';
import { extensionAnswer } from './extension-answer.ts';
import { asWarnings, problemsInOrder, unknownField } from './field-problems.ts';
import { negotiate } from './negotiation.ts';
import { listOptions, watchFlags, writeOptions } from './options.ts';
import { attributesOf, refused, verbOf } from './request-attributes.ts';
import { getScale, writeScale } from './scale-handler.ts';
import { entryAnswer, listAnswer, watchAnswer, writtenAnswer } from './shapes.ts';
import { subresourceBody } from './subresource-body.ts';
import { warningHeader } from './warning-header.ts';

/** A request for a resource that is served. */
export interface ResourceRequest extends Target {
  readonly request: ApiRequest;
  readonly path: ResourcePath;
}

/** Answers one subresource that is more than a part of its object, such as pods/eviction. */
export type SubresourceHandler = (asked: ResourceRequest, call: Call) => Promise<Answer>;

export interface ResourceHandlerParts {
  readonly backend: Backend;
  readonly items: WatchItems;
  readonly authorize: Authorize;
  /** By `group/plural/subresource`: what a node runtime answers, such as pods/log. */
  readonly subresources: ReadonlyMap<string, SubresourceHandler>;
  /** By `group/plural/subresource`, or `group/plural` of what is never kept: what a POST does. */
  readonly acts: ReadonlyMap<string, Act>;
  /** By `group/plural`. */
  readonly reviews: ReadonlyMap<string, Review>;
}

/** Answers requests for resources: finds the resource, asks whether it is allowed, and does what the method says. */
export function resourceHandler(parts: ResourceHandlerParts) {
  return async (request: ApiRequest, path: ResourcePath): Promise<Draft> => {
    const resource = parts.backend.registry.find(path.group, path.version, path.plural);
    const verb = verbOf(request, path);
    const attributes = attributesOf(request, path);
    const { allowed, reason } = parts.authorize(attributes);
    if (!allowed) throw refused(attributes, reason);
    const extension = parts.backend.registry.extension(path.group, path.version);
    if (extension !== undefined) return await extensionAnswer(extension, request, path, verb);
    if (resource === undefined) throw noSuchResource();
    const asked: ResourceRequest = {
      request,
      path,
      resource,
      namespace: path.namespace,
      name: path.name,
      subresource: path.subresource,
    };
    const answer = await (path.subresource === '' ? onObjects(parts, asked, verb) : onSubresource(parts, asked, verb));
    return resource.deprecation === undefined ? answer : warned(answer, [resource.deprecation]);
  };
}

async function onObjects(parts: ResourceHandlerParts, asked: ResourceRequest, verb: string): Promise<Draft> {
  const { request, resource, namespace, name } = asked;
  if (!resource.verbs.includes(verb)) throw isServed(asked) ? methodNotAllowed() : noSuchResource();
  // Whoever cannot be answered is told before anything is done.
  negotiate(request.header('accept'));
  if (!resource.namespaced && namespace !== '') throw noSuchResource();
  switch (verb) {
    case 'get':
      return await get(parts, asked);
    case 'list':
      return await list(parts, asked);
    case 'watch':
      return watch(parts, asked);
    case 'create':
      if (name !== '' || (resource.namespaced && namespace === '')) {
        throw isServed(asked) ? methodNotAllowed() : noSuchResource();
      }
      return await create(parts, asked);
    case 'update':
      return await update(parts, asked);
    case 'patch':
      return await patch(parts, asked);
    case 'delete':
      return await remove(parts, asked);
    default:
      return await removeAll(parts, asked);
  }
}

async function onSubresource(parts: ResourceHandlerParts, asked: ResourceRequest, verb: string): Promise<Answer> {
  const { resource, subresource, request } = asked;
  const { backend } = parts;
  const known = resource.subresources.get(subresource);
  if (known === undefined) throw noSuchResource();
  if (!known.verbs.includes(verb)) throw methodNotAllowed();
  const name = `${resource.group}/${resource.plural}/${subresource}`;
  const connect = parts.subresources.get(name);
  if (connect !== undefined) return await connect(asked, callOf(asked, 'CreateOptions').call);
  negotiate(request.header('accept'));
  const act = parts.acts.get(name);
  if (act !== undefined) return await performed(backend, asked, act, kindOf(known));
  if (resource.scale !== undefined && subresource === 'scale') {
    if (verb === 'get') return await getScale(backend, asked, resource.scale);
    const applies = verb === 'patch' && isApply(request);
    const { call, options } = callOf(asked, verb === 'patch' ? 'PatchOptions' : 'UpdateOptions', applies);
    const write = { backend, target: asked, paths: resource.scale, request, call };
    return warned(await writeScale(write, verb, options.force ?? false), call.warnings);
  }
  if (known.kind !== resource.kind || subresource === 'log') throw await notConnected(backend, asked, known);
  if (verb === 'get') return await get(parts, asked);
  return verb === 'update' ? await update(parts, asked) : await patch(parts, asked);
}

/** Whether anything at all can be done where the request points: to one object, those of a namespace, or all. */
function isServed({ resource, namespace, name }: ResourceRequest): boolean {
  const verbs = name !== '' ? OF_ONE : resource.namespaced && namespace === '' ? OF_ALL : OF_MANY;
  return verbs.some((verb) => resource.verbs.includes(verb));
}

const OF_ONE = ['get', 'update', 'patch', 'delete'];
const OF_MANY = ['list', 'create', 'deletecollection'];
const OF_ALL = ['list'];

/** Does what a POST asks for that leaves no object of its own. */
async function performed(backend: Backend, asked: ResourceRequest, act: Act, kind: ObjectKind): Promise<Answer> {
  const { call } = callOf(asked, 'CreateOptions');
  const body = await subresourceBody(asked.request, kind, call);
  const done = await perform(backend, act, asked, kind, body, call);
  return warned(json(201, JSON.stringify(done)), call.warnings);
}

/** What a node would have to answer is refused by name, after those who may forbid it have been asked. */
async function notConnected(backend: Backend, asked: ResourceRequest, known: Subresource): Promise<ApiError> {
  const { resource, subresource, request, path } = asked;
  if (subresource !== 'log') {
    const options = connectOptions(kindOf(known), request.query, path.rest);
    await admitConnection(backend, asked, kindOf(known), options, callOf(asked, 'CreateOptions').call);
  }
  const named = `${resource.plural}/${subresource}`;
  return new ApiError(501, 'NotImplemented', `the subresource ${named} is not served by this control plane`);
}

async function get(
  { backend }: ResourceHandlerParts,
  { request, resource, namespace, name }: ResourceRequest,
): Promise<Answer> {
  const store = storeOf(backend, resource);
  const asked = request.query.get('resourceVersion');
  if (asked !== null) checkReached(store, asked);
  const entry = store.get(keyOf(resource, namespace, name));
  if (entry === undefined || (resource.namespaced && namespace === '')) throw notFound(resource, name);
  return await entryAnswer(backend, request, resource, entry);
}

async function list(
  { backend }: ResourceHandlerParts,
  { request, resource, namespace }: ResourceRequest,
): Promise<Draft> {
  const listing = listObjects(backend, resource, namespace, listOptions(request.query));
  return await listAnswer(backend, request, resource, listing);
}

function watch(
  { backend, items }: ResourceHandlerParts,
  { request, resource, namespace, name }: ResourceRequest,
): Answer {
  const { query, signal } = request;
  const options = listOptions(query);
  const fieldSelector = [options.fieldSelector, name === '' ? undefined : `metadata.name=${name}`];
  const chosen = fieldSelector.filter((part) => part !== undefined).join(',');
  const watching = { ...options, ...watchFlags(query), signal, ...(chosen === '' ? {} : { fieldSelector: chosen }) };
  return watchAnswer(backend, request, resource, watchObjects(backend, items, resource, namespace, watching));
}

async function create(parts: ResourceHandlerParts, asked: ResourceRequest): Promise<Answer> {
  const { resource, namespace, request } = asked;
  const review = parts.reviews.get(`${resource.group}/${resource.plural}`);
  negotiate(request.header('accept'), review !== undefined);
  const act = parts.acts.get(`${resource.group}/${resource.plural}`);
  if (act !== undefined) return await performed(parts.backend, asked, act, resource);
  const { body, call } = await objectOf(asked, callOf(asked, 'CreateOptions').call);
  if (review !== undefined) {
    const header = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
    const question = { ...decodeBody(resource, body, call), ...header };
    const admitted = await admitCreation(parts.backend, asked, question, call);
    const object = await review(admitted, request.user, namespace);
    return warned(json(201, textOf({ ...object, ...header })), call.warnings);
  }
  return answerTo(
    request,
    resource,
    await createObject(parts.backend, resource, namespace, body, call),
    call,
    parts.backend,
  );
}

async function update(parts: ResourceHandlerParts, asked: ResourceRequest): Promise<Answer> {
  const { body, call } = await objectOf(asked, callOf(asked, 'UpdateOptions').call);
  return answerTo(
    asked.request,
    asked.resource,
    await updateObject(parts.backend, asked, body, call),
    call,
    parts.backend,
  );
}

async function patch(parts: ResourceHandlerParts, asked: ResourceRequest): Promise<Answer> {
  const { request, resource } = asked;
  const { call, options } = callOf(asked, 'PatchOptions', isApply(request));
  const type = request.header('content-type')?.split(';')[0]?.trim() ?? '';
  const text = (await request.body()).toString('utf8');
  const { value, duplicates } = type === APPLY_PATCH ? decodeYaml(text, resource.kind) : decodePatch(text);
  reportDuplicates(duplicates, call);
  const written =
    type === APPLY_PATCH
      ? await applyObject(parts.backend, asked, value, options.force ?? false, call)
      : await patchObject(parts.backend, asked, type, value, call);
  return answerTo(request, resource, written, call, parts.backend);
}

const isApply = (request: ApiRequest): boolean => request.header('content-type')?.startsWith(APPLY_PATCH) === true;

/** Keys that stand twice in a configuration: refused, told, or passed over in silence, as the client asked. */
function reportDuplicates([found]: readonly string[], { fieldValidation, warnings }: Call): void {
  if (found === undefined || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${found}`);
  }
  warnings.push(...asWarnings([found]));
}

async function remove(parts: ResourceHandlerParts, asked: ResourceRequest): Promise<Answer> {
  const options = await deleteOptions(asked.request);
  const { call } = callOf(asked, 'DeleteOptions');
  const deleted = await deleteObject(parts.backend, asked, options, {
    ...call,
    dryRun: call.dryRun || options.dryRun !== undefined,
  });
  const { resource, request } = asked;
  if (deleted.gone && resource.strategy.answersDeleted !== true) {
    return statusAnswer(deletedStatus(resource, deleted.object));
  }
  const last = deleted.gone ? { object: deleted.object, text: textOf(deleted.object) } : deleted.written;
  return answerTo(request, resource, { ...last, created: false }, call, parts.backend);
}

async function removeAll(parts: ResourceHandlerParts, asked: ResourceRequest): Promise<Draft> {
  const { request, resource, namespace } = asked;
  const options = await deleteOptions(asked.request);
  const { call } = callOf(asked, 'DeleteOptions');
  const dryRun = call.dryRun || options.dryRun !== undefined;
  const listing = await deleteCollection(parts.backend, resource, namespace, listOptions(request.query), options, {
    ...call,
    dryRun,
  });
  return await listAnswer(parts.backend, request, resource, listing);
}

/** The object in the body, and a call that knows of the keys that stand in it twice. */
async function objectOf({ request, resource }: ResourceRequest, call: Call): Promise<{ body: unknown; call: Call }> {
  const expected = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const { value: body, duplicates, text } = await decodeRequest(request, expected);
  if (duplicates.length === 0) return { body, call };
  const problems = (unknown: readonly string[]): readonly string[] => {
    const inOrder = text !== undefined && !resource.custom;
    const found = inOrder ? problemsInOrder(text, unknown) : [...duplicates, ...unknown.map(unknownField)];
    return call.fieldValidation === 'Warn' ? asWarnings(found) : found;
  };
  return { body, call: { ...call, problems } };
}

function callOf({ request }: ResourceRequest, kind: string, needsManager = false) {
  const options = writeOptions(request.query, kind, needsManager);
  const call: Call = {
    user: request.user,
    fieldManager: options.fieldManager ?? managerOf(request.header('user-agent')),
    dryRun: options.dryRun,
    fieldValidation: options.fieldValidation,
    sent: options.sent,
    warnings: [],
    signal: request.signal,
  };
  return { call, options };
}

/** Without a name given, fields belong to the program that the user agent names. */
function managerOf(userAgent = ''): string {
  return (userAgent.split('/')[0] ?? '').slice(0, 128) || 'unknown';
}

function answerTo(request: ApiRequest, resource: Resource, written: Written, call: Call, backend: Backend): Answer {
  return warned(writtenAnswer(backend, request, resource, written), call.warnings);
}

/** The answer with warnings, which are all one header. */
function warned<A extends Draft>(answer: A, warnings: readonly string[]): A {
  if (warnings.length === 0 || 'upgraded' in answer) return answer;
  const told = answer.headers?.['warning'];
  const warning = [...(told === undefined ? [] : [told]), warningHeader(warnings)].join(', ');
  return { ...answer, headers: { ...answer.headers, warning } };
}
