import { parse as parseYaml } from 'yaml';
import { badRequest, unsupportedMediaType } from '../api-error.ts';
import type { ApiRequest } from './api-request.ts';
import { duplicateFields } from './duplicate-fields.ts';

/** The body of a request as a JSON value, and the keys that stood in it twice. */
export interface Decoded {
  readonly value: unknown;
  readonly duplicates: readonly string[];
}

export type DecodeProtobuf = (bytes: Buffer) => unknown;

const ACCEPTED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const DEEPEST_YAML_ALIASES = 100;

/** Reads a body in any of the accepted formats. `kind` names what is expected there in refusals. */
export async function decodeRequest(request: ApiRequest, kind: string, protobuf: DecodeProtobuf): Promise<Decoded> {
  const bytes = await request.body();
  const media = (request.header('content-type') ?? 'application/json').split(';')[0]?.trim() ?? '';
  if (media === 'application/vnd.kubernetes.protobuf') return { value: protobuf(bytes), duplicates: [] };
  if (media === 'application/json' || media === '') return decodeJson(bytes.toString('utf8'), kind);
  if (media === 'application/yaml') return decodeYaml(bytes.toString('utf8'), kind);
  throw unsupportedMediaType(ACCEPTED);
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
