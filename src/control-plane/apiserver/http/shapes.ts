import { ParseError } from '#platform/base/errors';
import { ApiError, badRequest } from '../api-error.ts';
import type { Backend } from '../backend.ts';
import { flowOf } from '../flow-control/flow.ts';
import { textOf } from '../object-text.ts';
import { WATCH_PROTOBUF } from '../protobuf/protobuf.ts';
import { apiVersionOf, type Resource } from '../resource.ts';
import type { Entry } from '../store/store.ts';
import type { Listed } from '../table/cell.ts';
import { listTable, objectTable, parseIncludeObject, partialObject } from '../table/table.ts';
import { itemTexts, type Listing, listedObjects } from '../verbs/list.ts';
import type { StoredResult } from '../verbs/store-object.ts';
import { viewOf } from '../verbs/target.ts';
import type { WatchItem, WatchItems } from '../verbs/watch-item.ts';
import { YieldBudget } from '../yield-budget.ts';
import type { ApiRequest } from './api-request.ts';
import { type EncodingPlace, encodePiece, isLong } from './large-response.ts';
import { localEncoder } from './local-encoder.ts';
import { type AcceptedFormat, negotiate } from './negotiation.ts';
import {
  type HttpResponse,
  JSON_TYPE,
  json,
  type ListResponse,
  type StreamResponse,
  type WholeResponse,
} from './response.ts';

/** Formats an object, a list or a watch as itself, its metadata, or a table. */

function includeObject({ query }: ApiRequest) {
  try {
    return parseIncludeObject(query.get('includeObject'));
  } catch (error) {
    if (error instanceof ParseError) throw badRequest(error.message);
    throw error;
  }
}

function shapeObject(
  backend: Backend,
  request: ApiRequest,
  resource: Resource,
  object: Listed,
  desired: AcceptedFormat,
): object {
  const { as, version } = desired;
  if (as === 'metadata-list') throw shapeMismatch(resource, 'PartialObjectMetadataList', 'is not a list', '');
  if (as !== 'table') return partialObject(object, version);
  const options = { now: backend.clock.now(), includeObject: includeObject(request), version };
  return objectTable(resource.table, object, options);
}

/**
 * Rejects a representation that exists for lists only, or for objects only. The error names the type as the server
 * does.
 */
function shapeMismatch({ group, kind, custom }: Resource, shape: string, why: string, list: string): ApiError {
  const directory = group === '' || group === 'events.k8s.io' ? 'core' : group.split('.')[0];
  const type = custom ? `unstructured.Unstructured${list}` : `${directory}.${kind}${list}`;
  return new ApiError(406, 'NotAcceptable', `you requested ${shape}, but the requested object ${why} (*${type})`);
}

export async function entryResponse(
  backend: Backend,
  request: ApiRequest,
  resource: Resource,
  entry: Entry,
): Promise<HttpResponse> {
  const desired = negotiate(request.header('accept'));
  const plain = desired.as === 'object';
  if (plain && resource.fromStorage === undefined) return json(200, entry.value);
  const object = await viewOf(backend, resource, entry);
  return json(200, plain ? textOf(object) : JSON.stringify(shapeObject(backend, request, resource, object, desired)));
}

export function writeResponse(
  backend: Backend,
  request: ApiRequest,
  resource: Resource,
  written: StoredResult,
): WholeResponse {
  const desired = negotiate(request.header('accept'));
  const status = written.created ? 201 : 200;
  if (desired.as === 'object') return json(status, written.text);
  return json(status, JSON.stringify(shapeObject(backend, request, resource, written.object, desired)));
}

export async function listResponse(
  backend: Backend,
  request: ApiRequest,
  resource: Resource,
  listing: Listing,
): Promise<ListResponse> {
  const { as, version } = negotiate(request.header('accept'));
  if (as === 'metadata') throw shapeMismatch(resource, 'PartialObjectMetadata', 'is a list', 'List');
  const { entries, metadata } = listing;
  if (as === 'object') {
    const head = { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata };
    return { status: 200, head, field: 'items', ...(await itemTexts(backend, resource, entries, request.work)) };
  }
  if (as !== 'table') {
    const head = { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata };
    const items = await itemsOf(backend, request, resource, entries, (object) =>
      JSON.stringify(partialObject(object, version)),
    );
    return { status: 200, head, field: 'items', items };
  }
  const { table } = resource;
  const options = { now: backend.clock.now(), includeObject: includeObject(request), version };
  const { rows: _none, ...head } = listTable(table, [], metadata, options);
  const row = (object: Listed) => JSON.stringify(listTable(table, [object], {}, options).rows[0]);
  if (table.compare === undefined) {
    // Rows with their objects are as large as these, and are produced as they are consumed.
    const items =
      options.includeObject === 'Object' && resource.fromStorage === undefined
        ? entries.values().map((entry) => row(backend.parsed.get(entry)))
        : await itemsOf(backend, request, resource, entries, row);
    return { status: 200, head, field: 'rows', items };
  }
  const objects = await listedObjects(backend, resource, entries, request.work);
  const ordered = [...objects].sort((a, b) => table.compare?.(a, b) ?? 0);
  return { status: 200, head, field: 'rows', items: ordered.values().map(row) };
}

/**
 * Returns the text of each object of a list. A table shows little of what may be large, so others run while it is
 * built; objects are parsed one by one, because all of them could exceed the available memory.
 */
async function itemsOf(
  backend: Backend,
  request: ApiRequest,
  resource: Resource,
  entries: readonly Entry[],
  show: (object: Listed) => string,
): Promise<string[]> {
  if (resource.fromStorage !== undefined) {
    return (await listedObjects(backend, resource, entries, request.work)).map(show);
  }
  const budget = new YieldBudget(backend.clock, request.work);
  const items: string[] = [];
  for (const entry of entries) {
    items.push(show(backend.parsed.get(entry)));
    const pause = budget.spend(entry.value.length);
    if (pause !== undefined) await pause;
  }
  return items;
}

/** Size up to which lines are sent together when many events arrive at once. */
const PIECE = 64 * 1024;

/** Formats a watch as lines of JSON, or as frames of protobuf. */
export function watchResponse(
  backend: Backend,
  request: ApiRequest,
  resource: Resource,
  batches: AsyncIterable<readonly WatchItem[]>,
  items: Pick<WatchItems, 'line'>,
): StreamResponse {
  const { as, version, format } = negotiate(request.header('accept'));
  let first = true;
  // The object of an item is parsed on first use, and most watches never use it.
  const line = (item: WatchItem): string => {
    const { type } = item;
    if (as === 'object' || type === 'ERROR') return items.line(item);
    if (as !== 'table') return `{"type":"${type}","object":${JSON.stringify(partialObject(item.object, version))}}\n`;
    const options = { now: backend.clock.now(), includeObject: includeObject(request), headers: first, version };
    first = false;
    return `{"type":"${type}","object":${JSON.stringify(objectTable(resource.table, item.object, options))}}\n`;
  };
  async function* pieces(): AsyncGenerator<string> {
    for await (const batch of batches) {
      let text = '';
      for (const item of batch) {
        text += line(item);
        if (text.length < PIECE) continue;
        yield text;
        text = '';
      }
      if (text !== '') yield text;
    }
  }
  if (format === 'protobuf') {
    const place = { encoder: backend.encoder, flow: flowOf(request.user), work: request.work };
    return { status: 200, type: WATCH_PROTOBUF, pieces: watchFrames(batches, line, place) };
  }
  return { status: 200, type: JSON_TYPE, pieces: pieces() };
}

async function* watchFrames(
  batches: AsyncIterable<readonly WatchItem[]>,
  line: (item: WatchItem) => string,
  place: EncodingPlace,
): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    for (const item of batch) {
      const text = line(item);
      const job = { task: 'watch event', text } as const;
      const frame = isLong(text.length, 'protobuf')
        ? await encodePiece(place, job, text.length)
        : await localEncoder.encode(job);
      if (frame !== undefined) yield frame;
    }
  }
}
