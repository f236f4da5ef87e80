import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  KubeList,
  ListOptions,
  NewObject,
  ObjectOptions,
  Patch,
  RawRequest,
  RawResponse,
  RequestOptions,
  ResourceType,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../client.ts';
import { KubeError } from '../kube-error.ts';
import type { KubeObject } from '../kube-object.ts';
import { lines } from './lines.ts';
import { pathOf } from './resource-url.ts';
import type { Wire, WireRequest, WireResponse } from './wire.ts';

const JSON_TYPE = 'application/json';
const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;
const APPLY_TYPE = 'application/apply-patch+yaml';
const FIRST_PAUSE = 200;
const MAX_PAUSE_MS = 30_000;
/** Bookmarks come about once a minute, so a watch that receives none for this long has lost its server. */
const STALL_TIMEOUT_MS = 5 * 60_000;

/** Creates a client that sends HTTP requests over the given wire. */
export function clientOver(wire: Wire, parts: { readonly clock: Clock; readonly random: Random }): Client {
  return {
    ...readVerbs(wire),
    watch: (type, options = {}) => watchEvents(wire, parts, type, options),
    ...writeVerbs(wire),
    ...patchVerbs(wire),
    ...deleteVerbs(wire),
  };
}

async function ask<T>(wire: Wire, sent: WireRequest): Promise<T> {
  return JSON.parse((await wire.send(sent)).text) as T;
}

function readVerbs(wire: Wire): Pick<Client, 'get' | 'list' | 'raw' | 'request'> {
  return {
    get: <T extends KubeObject>(type: ResourceType<T>, name: string, options: ObjectOptions = {}) =>
      ask<T>(wire, { method: 'GET', path: pathOf(type, { ...options, name }), signal: options.signal }),

    list: async <T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<KubeList<T>> => {
      const path = pathOf(type, options, selection(options));
      const list = await ask<KubeList<T>>(wire, { method: 'GET', path, signal: options.signal });
      // Items of built-in lists come without apiVersion and kind.
      return { metadata: list.metadata, items: list.items.map((item) => withType(type, item) as T) };
    },

    raw: async (path: string, options: RequestOptions = {}) =>
      (await wire.send({ method: 'GET', path, signal: options.signal })).text,

    request: async ({ method, path, body, contentType = JSON_TYPE }: RawRequest, options: RequestOptions = {}) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body), contentType };
      return rawResponse(await wire.send({ method, path, ...sent, signal: options.signal }));
    },
  };
}

function writeVerbs(wire: Wire): Pick<Client, 'create' | 'update' | 'act'> {
  return {
    create: <T extends KubeObject>(type: ResourceType<T>, object: NewObject<T>, options: WriteOptions = {}) => {
      const namespace = options.namespace ?? object.metadata.namespace;
      const path = pathOf(type, { ...options, ...(namespace === undefined ? {} : { namespace }) }, writeQuery(options));
      const body = JSON.stringify(withType(type, object));
      return ask<T>(wire, { method: 'POST', path, body, contentType: JSON_TYPE, signal: options.signal });
    },

    update: <T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}) => {
      const { name = '', namespace } = object.metadata;
      const place = { ...(namespace === undefined ? {} : { namespace }), ...options, name };
      const path = pathOf(type, place, writeQuery(options));
      const body = JSON.stringify(object);
      return ask<T>(wire, { method: 'PUT', path, body, contentType: JSON_TYPE, signal: options.signal });
    },

    act: (type: ResourceType, name: string, subresource: string, given: object, options: WriteOptions = {}) => {
      const path = pathOf(type, { ...options, name, subresource }, writeQuery(options));
      const body = JSON.stringify(given);
      return ask<KubeObject>(wire, { method: 'POST', path, body, contentType: JSON_TYPE, signal: options.signal });
    },
  };
}

function patchVerbs(wire: Wire): Pick<Client, 'patch' | 'apply'> {
  return {
    patch: <T extends KubeObject>(type: ResourceType<T>, name: string, patch: Patch, options: WriteOptions = {}) => {
      const path = pathOf(type, { ...options, name }, writeQuery(options));
      const contentType = PATCH_TYPES[patch.type];
      const body = JSON.stringify(patch.body);
      return ask<T>(wire, { method: 'PATCH', path, body, contentType, signal: options.signal });
    },

    apply: <T extends KubeObject>(type: ResourceType<T>, config: NewObject<T>, options: ApplyOptions) => {
      const { name = '', namespace } = config.metadata;
      const query = { ...writeQuery(options), ...(options.force === true ? { force: 'true' } : {}) };
      const path = pathOf(type, { ...(namespace === undefined ? {} : { namespace }), ...options, name }, query);
      const body = JSON.stringify(withType(type, config));
      return ask<T>(wire, { method: 'PATCH', path, body, contentType: APPLY_TYPE, signal: options.signal });
    },
  };
}

function deleteVerbs(wire: Wire): Pick<Client, 'delete' | 'deleteCollection'> {
  return {
    delete: async <T extends KubeObject>(type: ResourceType<T>, name: string, options: DeleteOptions = {}) => {
      const path = pathOf(type, { ...options, name });
      const body = JSON.stringify(deletion(options));
      const sent = { method: 'DELETE', path, body, contentType: JSON_TYPE, signal: options.signal } as const;
      const response = await ask<T>(wire, sent);
      return isGone(response) ? undefined : response;
    },

    deleteCollection: async (type: ResourceType, options: DeleteOptions & ListOptions = {}) => {
      const path = pathOf(type, options, selection(options));
      const body = JSON.stringify(deletion(options));
      await wire.send({ method: 'DELETE', path, body, contentType: JSON_TYPE, signal: options.signal });
    },
  };
}

/** Adds apiVersion and kind to an object that comes without. */
function withType(type: ResourceType, object: object): object {
  return { apiVersion: apiVersionOf(type), kind: type.kind, ...object };
}

function rawResponse({ status, type, text }: WireResponse): RawResponse {
  if (text === '') return { status, body: undefined };
  return { status, body: type.startsWith(JSON_TYPE) ? (JSON.parse(text) as unknown) : text };
}

/**
 * Reports whether a deletion is complete. Some kinds return their last state, whose metadata shows that nothing is
 * pending.
 */
function isGone({ kind, metadata }: KubeObject): boolean {
  if (kind === 'Status' || metadata.deletionTimestamp === undefined) return true;
  return (metadata.finalizers ?? []).length === 0 && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function apiVersionOf({ group, version }: ResourceType): string {
  return group === '' ? version : `${group}/${version}`;
}

type Query = Record<string, string>;

function selection({
  labelSelector,
  fieldSelector,
  limit,
  continue: token,
  resourceVersion,
  resourceVersionMatch,
}: ListOptions): Query {
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(token === undefined ? {} : { continue: token }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
  };
}

function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query {
  return {
    ...(dryRun === true ? { dryRun: 'All' } : {}),
    ...(fieldManager === undefined ? {} : { fieldManager }),
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
  };
}

function deletion({ dryRun, gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
  };
}

interface RawEvent {
  readonly type: string;
  readonly object: KubeObject & { readonly code?: number; readonly reason?: string; readonly message?: string };
}

/** Watches across connections, each resuming where the last one ended. */
async function* watchEvents<T extends KubeObject>(
  wire: Wire,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  type: ResourceType<T>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const { signal, timeoutSeconds } = options;
  const until = timeoutSeconds === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + timeoutSeconds * 1000;
  const silence = options.allowWatchBookmarks === true ? { silentMs: STALL_TIMEOUT_MS } : {};
  let version = options.resourceVersion;
  /** Before the first version is known, a broken connection cannot be resumed without repeating events. */
  let seen = false;
  for (let failures = 0; ; ) {
    try {
      const left = Number.isFinite(until)
        ? { timeoutSeconds: String(Math.max(1, Math.ceil((until - clock.monotonic()) / 1000))) }
        : {};
      const path = pathOf(type, options, { ...watchQuery(options, version, seen), ...left });
      const stream = await wire.stream({ method: 'GET', path, signal, ...silence });
      for await (const line of lines(stream)) {
        const event = JSON.parse(line) as RawEvent;
        if (event.type === 'ERROR') throw errorOf(event);
        failures = 0;
        version = event.object.metadata.resourceVersion ?? version;
        seen ||=
          options.resourceVersion !== undefined || event.type === 'BOOKMARK' || options.sendInitialEvents !== true;
        yield event as WatchEvent<T>;
      }
    } catch (error) {
      if (signal?.aborted === true) return;
      if (error instanceof KubeError && error.code < 500 && error.code !== 429) throw error;
      if (version === undefined || !seen) throw error;
      failures++;
      const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE * 2 ** (failures - 1));
      await clock.sleep(pause * (0.5 + random.next()), signal).catch(() => undefined);
    }
    if (signal?.aborted === true || clock.monotonic() >= until) return;
  }
}

function watchQuery(options: WatchOptions, version: string | undefined, resumed: boolean): Query {
  const { labelSelector, fieldSelector, allowWatchBookmarks, sendInitialEvents } = options;
  return {
    watch: 'true',
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(allowWatchBookmarks === true ? { allowWatchBookmarks: 'true' } : {}),
    ...(version === undefined ? {} : { resourceVersion: version }),
    ...(sendInitialEvents === undefined || resumed
      ? {}
      : { sendInitialEvents: String(sendInitialEvents), resourceVersionMatch: 'NotOlderThan' }),
  };
}

function errorOf({ object }: RawEvent): KubeError {
  return new KubeError(object.code ?? 500, object.reason ?? '', object.message ?? 'the watch failed');
}
