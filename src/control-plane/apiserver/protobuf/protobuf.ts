import protobuf from 'protobufjs/minimal.js';
import { ParseError } from '#platform/base/errors';
import { schemaNameOf } from '../builtin-schema/kinds.ts';
import { isMessage, messageNameOf } from '../builtin-schema/message-shape.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';

/** Media type of built-in kinds in protobuf. Custom resources have none. */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
export const WATCH_PROTOBUF = `${PROTOBUF};stream=watch`;

/** Type that a body states. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** An object as it would be in JSON. */
export type ProtobufObject = TypeMeta & Record<string, unknown>;

const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
const ENVELOPE = 'k8s.io.apimachinery.pkg.runtime.Unknown';
/** Maximum size of a body, as in the API server. */
const MAX_BYTES = 3 * 1024 * 1024;

/** Reports whether a kind has a protobuf encoding. */
export function hasProtobuf({ apiVersion, kind }: TypeMeta): boolean {
  return messageOf(apiVersion, kind) !== undefined;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
/** Kinds of responses that belong to no group, and that no schema names. */
const RESPONSES = new Map<string, string>([
  ...['APIVersions', 'APIGroup', 'APIGroupList'].map((kind) => [`v1/${kind}`, META + kind] as const),
  ...['PartialObjectMetadata', 'PartialObjectMetadataList'].flatMap((kind) =>
    ['v1', 'v1beta1'].map((version) => [`meta.k8s.io/${version}/${kind}`, META + kind] as const),
  ),
]);

function messageOf(apiVersion: string, kind: string): string | undefined {
  const schema = schemaNameOf(apiVersion, kind) ?? RESPONSES.get(`${apiVersion}/${kind}`);
  const name = schema === undefined ? undefined : messageNameOf(schema);
  return name !== undefined && isMessage(name) ? name : undefined;
}

/**
 * Decodes a protobuf body to its JSON object, with `expected` as the kind of a body that does not state its type.
 * Throws a ParseError if the body is invalid or of an unknown kind.
 */
export function decodeProtobuf(body: Uint8Array, expected?: TypeMeta, mostBytes = MAX_BYTES): ProtobufObject {
  const { apiVersion, kind, raw } = openEnvelope(body, mostBytes);
  const type = { apiVersion: apiVersion || (expected?.apiVersion ?? ''), kind: kind || (expected?.kind ?? '') };
  const name = messageOf(type.apiVersion, type.kind);
  if (name === undefined) {
    throw new ParseError(`no kind "${type.kind}" is registered for version "${type.apiVersion}"`);
  }
  return { ...type, ...decodeMessage(raw, name) };
}

function openEnvelope(body: Uint8Array, mostBytes: number): TypeMeta & { readonly raw: Uint8Array } {
  if (body.length === 0) throw new ParseError('empty data');
  if (body.length > mostBytes) throw new ParseError(`request body is larger than ${mostBytes} bytes`);
  if (body.length < MAGIC.length || !MAGIC.every((byte, i) => body[i] === byte)) {
    throw new ParseError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  if (body.length === MAGIC.length) throw new ParseError('empty body');
  const { typeMeta, raw } = decodeMessage(body.subarray(MAGIC.length), ENVELOPE) as {
    readonly typeMeta?: Partial<TypeMeta>;
    readonly raw?: Uint8Array;
  };
  return { apiVersion: typeMeta?.apiVersion ?? '', kind: typeMeta?.kind ?? '', raw: raw ?? new Uint8Array() };
}

/** Encodes an object as a protobuf body. Returns undefined if its kind has no such encoding. */
export function encodeProtobuf(object: TypeMeta & Readonly<Record<string, unknown>>): Uint8Array | undefined {
  const { apiVersion, kind, ...rest } = object;
  const name = messageOf(apiVersion, kind);
  if (name === undefined) return undefined;
  const raw = encodeMessage(rest, name);
  const envelope = encodeMessage({ typeMeta: { apiVersion, kind }, raw }, ENVELOPE);
  const body = new Uint8Array(MAGIC.length + envelope.length);
  body.set(MAGIC);
  body.set(envelope, MAGIC.length);
  return body;
}

/** Encodes some items of a list as they follow each other in its message. Returns undefined if it has no encoding. */
export function encodeListItems(items: readonly unknown[], { apiVersion, kind }: TypeMeta): Uint8Array | undefined {
  const name = messageOf(apiVersion, kind);
  return name === undefined ? undefined : encodeMessage({ items }, name);
}

/**
 * Encodes what precedes the items of a list, which have the given length: the envelope, and the list's other fields.
 * Returns undefined if it has no encoding.
 */
export function encodeListHead(
  head: TypeMeta & Readonly<Record<string, unknown>>,
  itemsLength: number,
): Uint8Array | undefined {
  const { apiVersion, kind, ...rest } = head;
  const name = messageOf(apiVersion, kind);
  if (name === undefined) return undefined;
  const fields = encodeMessage(rest, name);
  const type = encodeMessage({ typeMeta: { apiVersion, kind } }, ENVELOPE);
  const length = protobuf.Writer.create()
    .uint32(SECOND)
    .uint32(fields.length + itemsLength)
    .finish();
  const parts = [MAGIC, type, length, fields];
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Encodes an event of a watch as a frame: its length, then the event, whose object is in an envelope. */
export function encodeWatchFrame(
  type: string,
  object: TypeMeta & Readonly<Record<string, unknown>>,
): Uint8Array | undefined {
  const raw = encodeProtobuf(object);
  if (raw === undefined) return undefined;
  // A WatchEvent has its type as field 1, and as field 2 a message whose field 1 is the object.
  const writer = protobuf.Writer.create().uint32(FIRST).string(type).uint32(SECOND).fork();
  const event = writer.uint32(FIRST).bytes(raw).ldelim().finish();
  const frame = new Uint8Array(FRAME_HEAD + event.length);
  new DataView(frame.buffer).setUint32(0, event.length);
  frame.set(event, FRAME_HEAD);
  return frame;
}

/** Number of bytes of the length of a frame. */
const FRAME_HEAD = 4;
/** Tags of the first two fields of a message, if they have a length. */
const FIRST = 0x0a;
const SECOND = 0x12;
