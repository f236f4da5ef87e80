import { stringify } from 'yaml';
import { encodeProtobuf, PROTOBUF, type ProtobufObject } from '../protobuf/protobuf.ts';
import { type BytesResponse, type ListResponse, type WholeResponse, YAML_OPTIONS, YAML_TYPE } from './response.ts';

/** Converts a response to YAML. */
export function asYaml(response: WholeResponse): WholeResponse {
  return { ...response, type: YAML_TYPE, body: stringify(JSON.parse(response.body), YAML_OPTIONS) };
}

export function asPretty(response: WholeResponse): WholeResponse {
  return { ...response, body: JSON.stringify(JSON.parse(response.body), null, 2) };
}

/** Converts a response to protobuf, undefined if it is of a kind that has none. */
export function asProtobuf({ status, headers, ...response }: WholeResponse | ListResponse): BytesResponse | undefined {
  const object = ('body' in response ? JSON.parse(response.body) : wholeList(response)) as ProtobufObject;
  // Discovery of the core group does not state its version.
  const bytes = encodeProtobuf({ ...object, apiVersion: object.apiVersion ?? 'v1' });
  return bytes && { status, type: PROTOBUF, bytes, ...(headers && { headers }) };
}

function wholeList({ head, field, items, opening = '' }: Omit<ListResponse, 'status'>): object {
  return { ...head, [field]: Array.from(items, (item) => JSON.parse(`${opening}${item}`) as unknown) };
}
