import protobuf from 'protobufjs/minimal.js';
import { fromBase64 } from '#platform/base/base64';
import { type MessageField, messageShape } from '../builtin-schema/message-shape.ts';
import { specialMessage } from './special-message.ts';

type Json = Readonly<Record<string, unknown>>;

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;

/** Encodes an object as the message of its kind. Fields that the message does not have are left out. */
export function encodeMessage(json: Json, name: string): Uint8Array {
  const writer = protobuf.Writer.create();
  message(writer, json, name);
  return writer.finish();
}

function message(writer: protobuf.Writer, json: unknown, name: string): void {
  const special = specialMessage(name);
  const parts = special === undefined ? json : special.toParts(json);
  if (typeof parts !== 'object' || parts === null) return;
  fields(writer, parts as Json, name);
}

function fields(writer: protobuf.Writer, json: Json, name: string): void {
  const shape = messageShape(name);
  for (const [key, value] of Object.entries(json)) {
    const field = shape.byJson.get(key);
    if (field !== undefined && value !== null && value !== undefined) write(writer, value, field);
  }
  for (const field of shape.inlined) {
    writer.uint32((field.id << 3) | DELIMITED).fork();
    fields(writer, json, field.type);
    writer.ldelim();
  }
}

function write(writer: protobuf.Writer, value: unknown, field: MessageField): void {
  if (field.container === 'one') one(writer, value, field);
  else if (field.container === 'list') for (const item of value as readonly unknown[]) one(writer, item, field);
  else {
    for (const [key, item] of Object.entries(value as Json)) {
      writer.uint32((field.id << 3) | DELIMITED).fork();
      writer.uint32((1 << 3) | DELIMITED).string(key);
      one(writer, item, { ...field, id: 2 });
      writer.ldelim();
    }
  }
}

function one(writer: protobuf.Writer, value: unknown, { id, type }: MessageField): void {
  const tag = id << 3;
  switch (type) {
    case 'string':
      writer.uint32(tag | DELIMITED).string(String(value));
      break;
    case 'bytes':
      writer.uint32(tag | DELIMITED).bytes(value instanceof Uint8Array ? value : fromBase64(String(value)));
      break;
    case 'bool':
      writer.uint32(tag | VARINT).bool(value === true);
      break;
    case 'int32':
      writer.uint32(tag | VARINT).int32(Number(value));
      break;
    case 'int64':
      writer.uint32(tag | VARINT).int64(Number(value));
      break;
    case 'double':
      writer.uint32(tag | FIXED_64).double(Number(value));
      break;
    default:
      writer.uint32(tag | DELIMITED).fork();
      message(writer, value, type);
      writer.ldelim();
  }
}
