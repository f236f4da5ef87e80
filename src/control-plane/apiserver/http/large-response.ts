import { type AnnounceWork, WORK } from '../flow-control/work.ts';
import type { Encoder, Encoding, EncodingJob } from '../long-work.ts';
import { encodeListHead, PROTOBUF, type ProtobufObject } from '../protobuf/protobuf.ts';
import { listFrame } from './list-text.ts';
import {
  type BytesResponse,
  type HttpResponse,
  JSON_TYPE,
  type ListResponse,
  type WholeResponse,
  YAML_TYPE,
} from './response.ts';

/** Size of JSON text that is converted on this thread, which takes a few milliseconds. */
const SHORT: Readonly<Record<Encoding, number>> = { yaml: 4 * 1024, pretty: 64 * 1024, protobuf: 32 * 1024 };
/** Size of the text of several items that are converted together. */
const BATCH = 128 * 1024;
/** Size of encoded items that are kept until their total length is known. Further ones are encoded again. */
const MAX_KEPT = 2 * 1024 * 1024;

const TYPES: Readonly<Record<Encoding, string>> = { yaml: YAML_TYPE, pretty: JSON_TYPE, protobuf: PROTOBUF };

/** Defines how to encode for one request. */
export interface EncodingPlace {
  readonly encoder: Encoder;
  readonly flow: string | undefined;
  /** Announces the cost of handing over text. It rejects the work of a client that is gone. */
  readonly work: AnnounceWork | undefined;
}

/** Reports whether text is so long that converting it here would delay others. */
export function isLong(length: number, format: Encoding): boolean {
  return length > SHORT[format];
}

/** Encodes one piece elsewhere. */
export async function encodePiece(place: EncodingPlace, job: EncodingJob, length: number) {
  await place.work?.(WORK.piece + length * WORK.sentByte);
  return await place.encoder.encode(job, place.flow);
}

/** Converts a large object. Returns undefined if its kind has no such format. */
export async function largeObject(
  { status, headers, body }: WholeResponse,
  format: Encoding,
  place: EncodingPlace,
): Promise<BytesResponse | undefined> {
  const bytes = await encodePiece(place, { task: 'object', format, text: body }, body.length);
  return bytes && { status, type: TYPES[format], bytes, ...(headers && { headers }) };
}

/** Returns the same list, and whether it is long. Consumes only as many items as that takes. */
export function measureList(
  list: ListResponse,
  format: Encoding,
): { readonly list: ListResponse; readonly long: boolean } {
  const rest = list.items[Symbol.iterator]();
  const seen: string[] = [];
  let length = 0;
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    seen.push(next.value);
    length += next.value.length;
    if (isLong(length, format)) return { list: { ...list, items: resume(seen, rest) }, long: true };
  }
  return { list: { ...list, items: seen }, long: false };
}

function* resume(seen: readonly string[], rest: Iterator<string>): Generator<string> {
  yield* seen;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}

interface Batch {
  readonly texts: readonly string[];
  readonly length: number;
}

/** Groups items that are converted together. A long one stays alone. */
function* batchesOf(items: Iterable<string>): Generator<Batch, undefined> {
  let [texts, length]: [string[], number] = [[], 0];
  for (const item of items) {
    if (length > 0 && length + item.length > BATCH) {
      yield { texts, length };
      [texts, length] = [[], 0];
    }
    texts.push(item);
    length += item.length;
  }
  if (texts.length > 0) yield { texts, length };
  return undefined;
}

/** Converts a long list, batch by batch. Returns undefined if its kind has no such format. */
export async function largeList(
  list: ListResponse,
  format: Encoding,
  place: EncodingPlace,
): Promise<HttpResponse | undefined> {
  const { status, headers, opening = '' } = list;
  const head = list.head as ProtobufObject;
  const type = { apiVersion: head.apiVersion, kind: head.kind };
  const encode: EncodeBatch = ({ texts, length }) =>
    encodePiece(place, { task: 'items', format, texts, opening, list: type }, length);
  const encoded = await (format === 'protobuf' ? protobufParts(list, encode) : textParts(list, format, encode));
  return encoded && { status, type: TYPES[format], encoded, ...(headers && { headers }) };
}

type EncodeBatch = (batch: Batch) => Promise<Uint8Array | undefined>;
type Parts = AsyncIterable<string | Uint8Array>;

const NONE = new Uint8Array();

/** The first batch is converted before the response begins, so that an error still becomes a Status. */
async function textParts(list: ListResponse, format: 'yaml' | 'pretty', encode: EncodeBatch): Promise<Parts> {
  const batches = batchesOf(list.items);
  const first = batches.next();
  const begun = first.done === true ? NONE : await encode(first.value);
  const { before, separator, after } = listFrame(list, format);
  return (async function* () {
    yield before;
    yield begun ?? NONE;
    for (const batch of batches) {
      if (separator !== '') yield separator;
      yield (await encode(batch)) ?? NONE;
    }
    yield after;
  })();
}

/**
 * Protobuf states the length of a list before its items, so all items are encoded before the response begins. The first
 * ones are kept, and the others are encoded again as the client reads, so that memory does not grow with the list.
 */
async function protobufParts(list: ListResponse, encode: EncodeBatch): Promise<Parts | undefined> {
  const kept: Uint8Array[] = [];
  const again: Batch[] = [];
  let length = 0;
  for (const batch of batchesOf(list.items)) {
    const bytes = await encode(batch);
    if (bytes === undefined) return undefined;
    length += bytes.length;
    if (again.length === 0 && length <= MAX_KEPT) kept.push(bytes);
    else again.push(batch);
  }
  const head = encodeListHead(list.head as ProtobufObject, length);
  if (head === undefined) return undefined;
  return (async function* () {
    yield head;
    yield* kept;
    for (const batch of again) yield (await encode(batch)) ?? NONE;
  })();
}
