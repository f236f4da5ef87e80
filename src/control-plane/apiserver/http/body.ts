import { decodeUtf8 } from '#platform/base/bytes';
import { ParseError } from '#platform/base/errors';
import { NumberTooLarge } from '#platform/base/finite-json';
import { readYaml } from '#platform/kube/yaml-json';
import { badRequest, unsupportedMediaType } from '../api-error.ts';
import type { LongWork } from '../long-work.ts';
import { decodeProtobuf, PROTOBUF, type TypeMeta } from '../protobuf/protobuf.ts';
import { summaryOf } from '../verbs/object-type.ts';
import { JSON_PATCH, STRATEGIC_PATCH } from '../verbs/patch.ts';
import type { ApiRequest } from './api-request.ts';
import { duplicateFields, duplicateFieldsInChunks } from './duplicate-fields.ts';
import { assertExactIntegers } from './exact-integers.ts';
import { duplicateField } from './field-problems.ts';
import { parseJson, parseLargeJson } from './json-text.ts';
import { mediaTypeOf } from './media-type.ts';

/** Holds the body of a request as a JSON value, and the messages about duplicate keys. */
export interface DecodedBody {
  readonly value: unknown;
  readonly duplicates: readonly string[];
  /** JSON that was read, if it had duplicate keys. */
  readonly text?: string;
}

const ACCEPTED = ['application/json', 'application/yaml', PROTOBUF];

/** Size of text that is read without a pause, which takes a few milliseconds. */
const SHORT = 64 * 1024;
/** Size of protobuf that is decoded without a pause. */
const SHORT_PROTOBUF = 32 * 1024;
/** Size of YAML that is read without a pause. YAML takes a hundred times as long. */
const SHORT_YAML = 4 * 1024;

/** Decodes a body in any of the accepted formats. `expected` appears in error messages. */
export async function decodeRequest(request: ApiRequest, expected: TypeMeta, work: LongWork): Promise<DecodedBody> {
  const { kind } = expected;
  const bytes = await request.body();
  const header = request.header('content-type') ?? '';
  const media = header === '' ? 'application/json' : mediaTypeOf(header);
  if (media === PROTOBUF) {
    return await decodeBinary(bytes, expected, work);
  }
  if (media === 'application/json') return await decodeJson(decodeUtf8(bytes), kind, work);
  if (media === 'application/yaml') return await decodeYaml(decodeUtf8(bytes), kind, work);
  throw unsupportedMediaType(ACCEPTED);
}

interface Read {
  readonly value: unknown;
  /** Paths of duplicate keys. */
  readonly twice: readonly string[];
}

/** Kind whose numbers may be rounded: the bounds in a schema have any size, and Kubernetes rounds them as well. */
const ROUNDED = 'CustomResourceDefinition';

/** Reads JSON, in chunks if it is long. */
async function readJson(text: string, kind: string, { pause }: LongWork): Promise<Read> {
  if (text.length <= SHORT) {
    const value = parseJson(text);
    if (kind !== ROUNDED) assertExactIntegers(text);
    return { value, twice: duplicateFields(text) };
  }
  await pause();
  const value = await parseLargeJson(text, pause);
  await pause();
  if (kind !== ROUNDED) assertExactIntegers(text);
  return { value, twice: await duplicateFieldsInChunks(text, pause) };
}

/** Decodes protobuf, on another thread if it is long. The JSON text of that is then read here in chunks. */
async function decodeBinary(bytes: Uint8Array, expected: TypeMeta, work: LongWork): Promise<DecodedBody> {
  try {
    if (bytes.length <= SHORT_PROTOBUF) return { value: decodeProtobuf(bytes, expected), duplicates: [] };
    await work.pause();
    const text = await work.decodeProtobuf(bytes, expected);
    await work.pause();
    return { value: await parseLargeJson(text, work.pause), duplicates: [] };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${error.message}`);
  }
}

async function decodeJson(text: string, kind: string, work: LongWork): Promise<DecodedBody> {
  try {
    const { value, twice } = await readJson(text, kind, work);
    const duplicates = twice.map(duplicateField);
    return { value, duplicates, ...(duplicates.length === 0 ? {} : { text }) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const why = `couldn't get version/kind; json parse error: ${error.message}`;
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summaryOf(text)})`);
  }
}

/** Decodes YAML. Clients mostly send JSON as YAML, which is read far faster as JSON. */
export async function decodeYaml(text: string, kind: string, work: LongWork): Promise<DecodedBody> {
  if (text.startsWith('{')) {
    try {
      const { value, twice } = await readJson(text, kind, work);
      // Duplicate keys are reported by their lines, which only the YAML parser knows.
      if (twice.length === 0) return { value, duplicates: [] };
    } catch (error) {
      // A YAML map begins the same way.
      if (!(error instanceof SyntaxError) || error instanceof NumberTooLarge) throw yamlRefusal(error, kind);
    }
  }
  try {
    const { value, duplicates } = text.length <= SHORT_YAML ? readYaml(text) : await readLargeYaml(text, work);
    const reported = `yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join('\n')}`;
    return { value, duplicates: duplicates.length === 0 ? [] : [reported] };
  } catch (error) {
    throw yamlRefusal(error, kind);
  }
}

function yamlRefusal(error: unknown, kind: string): unknown {
  const unrecognized = `the object provided is unrecognized (must be of type ${kind})`;
  if (error instanceof ParseError) return badRequest(`${unrecognized}: yaml: ${error.message}`);
  return error instanceof NumberTooLarge ? badRequest(`${unrecognized}: ${error.message}`) : error;
}

/** Reads long YAML on another thread, whose JSON is then read here. */
async function readLargeYaml(text: string, { readYaml: readOnThread, pause }: LongWork): Promise<YamlAsJson> {
  const { json, duplicates } = await readOnThread(text);
  return { value: json.length <= SHORT ? JSON.parse(json) : await parseLargeJson(json, pause), duplicates };
}

interface YamlAsJson {
  readonly value: unknown;
  readonly duplicates: readonly string[];
}

export async function decodePatch(text: string, type: string, kind: string, work: LongWork): Promise<DecodedBody> {
  try {
    const { value, twice } = await readJson(text, kind, work);
    const reported = type === JSON_PATCH ? 'json patch ' : '';
    return { value, duplicates: twice.map((path) => `${reported}${duplicateField(path)}`) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { message } = error;
    throw badRequest(type === STRATEGIC_PATCH ? message : `error decoding patch: ${message}`);
  }
}
