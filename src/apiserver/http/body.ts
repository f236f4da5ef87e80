import { parse as parseYaml } from 'yaml';
import { ParseError } from '../../base/errors.ts';
import { badRequest, unsupportedMediaType } from '../api-error.ts';
import { decodeProtobuf, PROTOBUF, type TypeMeta } from '../protobuf/protobuf.ts';
import type { ApiRequest } from './api-request.ts';
import { duplicateFields } from './duplicate-fields.ts';

/** The body of a request as a JSON value, and the keys that stood in it twice. */
export interface Decoded {
  readonly value: unknown;
  readonly duplicates: readonly string[];
}

const ACCEPTED = ['application/json', 'application/yaml', PROTOBUF];
const DEEPEST_YAML_ALIASES = 100;

/** Reads a body in any of the accepted formats; what is expected there is named in refusals. */
export async function decodeRequest(request: ApiRequest, expected: TypeMeta): Promise<Decoded> {
  const { kind } = expected;
  const bytes = await request.body();
  const media = (request.header('content-type') ?? 'application/json').split(';')[0]?.trim() ?? '';
  if (media === PROTOBUF) return decodeBinary(bytes, expected);
  if (media === 'application/json' || media === '') return decodeJson(bytes.toString('utf8'), kind);
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
    const value: unknown = JSON.parse(text);
    return { value, duplicates: duplicateFields(text) };
  } catch (error) {
    const why = `couldn't get version/kind; json parse error: ${(error as Error).message}`;
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why}`);
  }
}

export function decodeYaml(text: string, kind: string): Decoded {
  try {
    const value: unknown = parseYaml(text, { version: '1.1', maxAliasCount: DEEPEST_YAML_ALIASES, uniqueKeys: true });
    return { value, duplicates: [] };
  } catch (error) {
    const [why] = (error as Error).message.split('\n');
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): error converting YAML to JSON: ${why}`,
    );
  }
}
