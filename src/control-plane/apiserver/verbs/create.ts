import { append } from '#platform/base/append';
import type { FieldError } from '#platform/base/field-error';
import { copyJson } from '#platform/base/json-copy';
import type { Random } from '#platform/base/random';
import type { Steps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import { accessDenied } from '../access-denied.ts';
import { ApiError, alreadyExists, badRequest, invalid } from '../api-error.ts';
import { admit, type Backend, mutate, settle, storeOf, timestamp } from '../backend.ts';
import { isFitting, type RequestContext } from '../request-context.ts';
import { apiVersionOf, keyOf, type Resource } from '../resource.ts';
import { nextStage, stageOf, turnOf } from '../stage-barrier.ts';
import { bodyDecoding } from './decode.ts';
import { isVersion } from './resource-version.ts';
import { type StoredResult, store } from './store-object.ts';
import type { Target } from './target.ts';

const GENERATED_NAME_BASE = 58;
const NAME_ATTEMPTS = 8;

export interface Creation {
  /** Set if managedFields are already correct, as after applying. */
  readonly recorded?: boolean;
  /** Set if the body was already decoded. */
  readonly decoded?: boolean;
  /** Target of a request other than `create`, whose user must be allowed to create it as well. */
  readonly requested?: Target;
}

/** Handles POST: creates an object. `body` is decoded JSON that the server owns from here on. */
export async function createObject(
  backend: Backend,
  resource: Resource,
  namespace: string,
  body: unknown,
  call: RequestContext,
  how: Creation = {},
): Promise<StoredResult> {
  const { size = 0, user } = call;
  const decoding =
    how.decoded === true
      ? (body as KubeObject)
      : stageOf(backend.thread, size, user, bodyDecoding(resource, body, call));
  const object = decoding instanceof Promise ? await decoding : decoding;
  await nextStage(backend.thread, size, user);
  placeIn(resource, namespace, object);
  const { resourceVersion = '' } = object.metadata;
  if (isVersion(resourceVersion) && Number(resourceVersion) !== 0) {
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  const generated = (object.metadata.name ?? '') === '' && (object.metadata.generateName ?? '') !== '';
  for (let attempt = 1; ; attempt++) {
    const written = await attemptCreate(backend, resource, generated ? copyJson(object) : object, call, how);
    if (written !== undefined) return written;
    if (!generated || attempt >= NAME_ATTEMPTS) throw nameTakenError(backend, resource, object.metadata);
  }
}

function nameTakenError(backend: Backend, resource: Resource, metadata: KubeObject['metadata']): ApiError {
  const { namespace = '', name = '', generateName = '' } = metadata;
  const error = alreadyExists(resource, name);
  if (generateName !== '') {
    const message = `${error.message}, the server was not able to generate a unique name for the object`;
    return new ApiError(error.code, error.reason, message, { ...error.details, retryAfterSeconds: 1 });
  }
  const entry = storeOf(backend, resource).latest(keyOf(resource, namespace, name));
  if (entry === undefined || backend.parsed.get(entry).metadata.deletionTimestamp === undefined) return error;
  return new ApiError(error.code, error.reason, `object is being deleted: ${error.message}`, error.details);
}

/** Creates an object; returns undefined if the name is taken. */
async function attemptCreate(
  backend: Backend,
  resource: Resource,
  object: KubeObject,
  call: RequestContext,
  how: Creation,
): Promise<StoredResult | undefined> {
  const time = timestamp(backend.clock);
  fillSystemFields(resource, object, backend.random, time);
  const { metadata } = object;
  const { namespace = '' } = metadata;
  const { size = 0, user } = call;
  if (how.recorded !== true) {
    const writer = { manager: call.fieldManager, subresource: '', time };
    const recording = stageOf(
      backend.thread,
      size,
      user,
      backend.fields.recordInSteps(resource, object, undefined, writer),
    );
    if (recording !== undefined) await recording;
  }
  await nextStage(backend.thread, size, user);
  const write = {
    operation: 'CREATE',
    resource,
    subresource: '',
    namespace,
    // Admission does not know a name that is yet to be generated.
    name: metadata.name ?? '',
    old: undefined,
    options: {},
    call,
  } as const;
  let stored = false;
  try {
    const admitted = (await mutate(backend, { ...write, object })) ?? object;
    nameOf(admitted.metadata, backend.random, resource.strategy.namesNameless === true);
    const { name = '' } = admitted.metadata;
    resource.strategy.prepareCreate?.(admitted, user);
    const turn = turnOf(backend.thread, size, user);
    if (turn !== undefined) await turn;
    const validating = stageOf(backend.thread, size, user, causesOf(resource, admitted, isFitting(call, admitted)));
    const causes = validating instanceof Promise ? await validating : validating;
    if (causes.length > 0) throw invalid(resource, name, causes);
    append(call.warnings, resource.strategy.warnings?.(admitted) ?? []);
    if (how.requested !== undefined) checkCreation(backend, how.requested, call);
    await admit(backend, { ...write, name, object: admitted });
    const key = keyOf(resource, namespace, name);
    const written = await store(backend, resource, key, admitted, 0, call);
    stored = written !== undefined && !call.dryRun;
    return written;
  } finally {
    settle(backend, { ...write, object }, stored);
  }
}

/** Sets the fields that only the server decides, and drops those that a new object cannot have. */
function fillSystemFields({ strategy, custom }: Resource, object: KubeObject, random: Random, time: string): void {
  const { metadata } = object;
  if (strategy.status && custom) delete object['status'];
  metadata.uid = random.uuid();
  metadata.creationTimestamp = time;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.resourceVersion;
  delete metadata.selfLink;
  // Kinds without generations keep the number that they are given.
  if (strategy.generation) metadata.generation = 1;
}

/** Checks that a user who may change an object may also create one that does not exist. */
export function checkCreation(
  { authorize }: Backend,
  { resource, namespace, name, subresource }: Target,
  { user }: RequestContext,
): void {
  const { group, plural } = resource;
  const attributes = { user, verb: 'create', group, resource: plural, subresource, namespace, name };
  const { allowed, reason } = authorize(attributes);
  if (!allowed) throw accessDenied(attributes, reason);
}

function* causesOf({ shape, strategy }: Resource, object: KubeObject, fits: boolean): Steps<readonly FieldError[]> {
  const own = strategy.validate?.(object) ?? [];
  if (own.length > 0 && strategy.metadataLast === true) return own;
  return [...(yield* shape.validate(object, undefined, '', fits)), ...own];
}

function nameOf(metadata: KubeObject['metadata'], random: Random, always: boolean): void {
  const { name = '', generateName = '' } = metadata;
  if (name === '' && generateName !== '') {
    metadata.name = `${generateName.slice(0, GENERATED_NAME_BASE)}${random.suffix()}`;
  } else if (name === '' && always) metadata.name = random.uuid();
}

/** Sets the namespace of the object to that of the request; cluster-scoped objects have none. */
function placeIn(resource: Resource, namespace: string, object: KubeObject): void {
  object.kind = resource.kind;
  object.apiVersion = apiVersionOf(resource);
  const { metadata } = object;
  if (!resource.namespaced) {
    if ((metadata.namespace ?? '') !== '') throw badRequest(NAMESPACE_MISMATCH);
    delete metadata.namespace;
    return;
  }
  if (namespace === '') throw badRequest('an empty namespace may not be set during creation');
  if ((metadata.namespace ?? '') !== '' && metadata.namespace !== namespace) throw badRequest(NAMESPACE_MISMATCH);
  metadata.namespace = namespace;
}

export const NAMESPACE_MISMATCH =
  'the namespace of the provided object does not match the namespace sent on the request';
