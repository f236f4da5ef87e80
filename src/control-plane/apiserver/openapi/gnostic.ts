import protobuf from 'protobufjs/minimal.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * Writes the fields of one message from its JSON. The protobuf form of OpenAPI documents is that of gnostic: its
 * messages follow the JSON, with maps as lists of names and values, and with a separate message for every union.
 */
export type MessageEncoder = (writer: protobuf.Writer, json: unknown) => void;

/** Writes one field, including its number. */
export type FieldEncoder = (writer: protobuf.Writer, number: number, json: unknown) => void;

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;

export const encodeText: FieldEncoder = (writer, number, json) => {
  writer.uint32((number << 3) | DELIMITED).string(String(json));
};

export const encodeFlag: FieldEncoder = (writer, number, json) => {
  writer.uint32((number << 3) | VARINT).bool(json === true);
};

export const encodeInteger: FieldEncoder = (writer, number, json) => {
  writer.uint32((number << 3) | VARINT).int64(Number(json));
};

export const encodeDouble: FieldEncoder = (writer, number, json) => {
  writer.uint32((number << 3) | FIXED_64).double(Number(json));
};

export function inside(message: MessageEncoder): FieldEncoder {
  return (writer, number, json) => {
    writer.uint32((number << 3) | DELIMITED).fork();
    message(writer, json);
    writer.ldelim();
  };
}

export function each(field: FieldEncoder): FieldEncoder {
  return (writer, number, json) => {
    for (const item of json as readonly unknown[]) field(writer, number, item);
  };
}

/** Any value is written as YAML, of which JSON is a subset. */
export const encodeAny = inside((writer, json) => encodeText(writer, 2, `${JSON.stringify(json)}\n`));

/** Returns a map as a message that lists names and values in its first field, or another. */
export function mapOf(value: FieldEncoder, number = 1): MessageEncoder {
  return (writer, json) => {
    for (const [name, item] of Object.entries(json as Json)) namedValue(value)(writer, number, [name, item]);
  };
}

/** Returns a structure with its fields by JSON name. Keys that begin with x- go into one list of extensions. */
export function structure(
  fields: () => Readonly<Record<string, readonly [number, FieldEncoder]>>,
  extensions: number,
): MessageEncoder {
  let known: ReturnType<typeof fields> | undefined;
  const extension = namedValue(encodeAny);
  return (writer, json) => {
    known ??= fields();
    for (const [key, value] of Object.entries(json as Json)) {
      const entry = Object.hasOwn(known, key) ? known[key] : undefined;
      if (entry !== undefined) entry[1](writer, entry[0], value);
      else if (key.startsWith('x-')) extension(writer, extensions, [key, value]);
    }
  };
}

/** Returns a union of two messages: the second if the JSON is a reference. */
export function orReference(message: MessageEncoder): FieldEncoder {
  const [first, second] = [inside(message), inside(structure(() => ({ $ref: [1, encodeText] }), 0))];
  return inside((writer, json) => {
    if ((json as Json)['$ref'] === undefined) first(writer, 1, json);
    else second(writer, 2, json);
  });
}

/** Returns a message around one value. */
export function wrapMessage(field: FieldEncoder): FieldEncoder {
  return inside((writer, json) => field(writer, 1, json));
}

export function encodeDocument(message: MessageEncoder, json: unknown): Uint8Array {
  const writer = protobuf.Writer.create();
  message(writer, json);
  return writer.finish();
}

function namedValue(value: FieldEncoder): FieldEncoder {
  return inside((writer, json) => {
    const [name, item] = json as readonly [string, unknown];
    encodeText(writer, 1, name);
    value(writer, 2, item);
  });
}
