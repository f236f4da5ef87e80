import { ParseError } from '../../base/errors.ts';
import { readYaml } from '../../kube/yaml-json.ts';
import { badRequest, unsupportedMediaType } from '../api-error.ts';
import { decodeProtobuf, PROTOBUF, type TypeMeta } from '../protobuf/protobuf.ts';
import { summaryOf } from '../verbs/object-type.ts';
import { JSON_PATCH, STRATEGIC_PATCH } from '../verbs/patch.ts';
import type { ApiRequest } from './api-request.ts';
import { duplicateFields } from './duplicate-fields.ts';
import { duplicateField } from './field-problems.ts';
import { parseJson } from './json-text.ts';
import { mediaTypeOf } from './media-type.ts';

/** The body of a request as a JSON value, and what to say of keys that stood in it twice. */
export interface Decoded {
  readonly value: unknown;
  readonly duplicates: readonly string[];
  /** The JSON that was read, where keys stood in it twice. */
  readonly text?: string;
}

const ACCEPTED = ['application/json', 'application/yaml', PROTOBUF];

/** Reads a body in any of the accepted formats; what is expected there is named in refusals. */
export async function decodeRequest(request: ApiRequest, expected: TypeMeta): Promise<Decoded> {
  const { kind } = expected;
  const bytes = await request.body();
  const header = request.header('content-type') ?? '';
  const media = header === '' ? 'application/json' : mediaTypeOf(header);
  if (media === PROTOBUF) return decodeBinary(bytes, expected);
  if (media === 'application/json') return decodeJson(bytes.toString('utf8'), kind);
  if (media === 'application/yaml') return decodeYaml(bytes.toString('utf8'), kind);
  throw unsupportedMediaType(ACCEPTED);
}

function decodeBinary(bytes: Buffer, expected: TypeMeta): Decoded {
  try {
    return { value: decodeProtobuf(bytes, expected), duplicates: [] };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${error.message}`);
  }
}

export function decodeJson(text: string, kind: string): Decoded {
  try {
    const value = parseJson(text);
    const duplicates = duplicateFields(text).map(duplicateField);
    return { value, duplicates, ...(duplicates.length === 0 ? {} : { text }) };
  } catch (error) {
    const why = `couldn't get version/kind; json parse error: ${(error as Error).message}`;
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summaryOf(text)})`);
  }
}

/** Clients mostly send JSON where YAML is asked for, which is read far faster as what it is. */
export function decodeYaml(text: string, kind: string): Decoded {
  if (text.startsWith('{')) {
    try {
      const value = parseJson(text);
      // Keys that stand twice are told by their lines, which YAML alone knows.
      if (duplicateFields(text).length === 0) return { value, duplicates: [] };
    } catch {
      // A map in YAML begins the same way.
    }
  }
  try {
    const { value, duplicates } = readYaml(text);
    const told = `yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join('\n')}`;
    return { value, duplicates: duplicates.length === 0 ? [] : [told] };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): yaml: ${error.message}`);
  }
}

export function decodePatch(text: string, type: string): Decoded {
  try {
    const value = parseJson(text);
    const told = type === JSON_PATCH ? 'json patch ' : '';
    return { value, duplicates: duplicateFields(text).map((path) => `${told}${duplicateField(path)}`) };
  } catch (error) {
    const { message } = error as Error;
    throw badRequest(type === STRATEGIC_PATCH ? message : `error decoding patch: ${message}`);
  }
}
