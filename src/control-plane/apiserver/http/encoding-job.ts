import { stringify } from 'yaml';
import { encodeUtf8 } from '#platform/base/bytes';
import { ParseError } from '#platform/base/errors';
import type { Encoding, EncodingJob } from '../long-work.ts';
import {
  decodeProtobuf,
  encodeListItems,
  encodeProtobuf,
  encodeWatchFrame,
  type ProtobufObject,
  type TypeMeta,
} from '../protobuf/protobuf.ts';
import { YAML_OPTIONS } from './response.ts';

/** A protobuf body that is decoded to JSON text. */
export interface DecodingJob {
  readonly task: 'body';
  readonly body: Uint8Array;
  readonly expected: TypeMeta;
}

export interface EncodingResult {
  readonly bytes?: Uint8Array | undefined;
  readonly json?: string;
  /** Reason why the job failed. */
  readonly problem?: string;
  /** Set if the error is internal rather than in the body. */
  readonly isOurs?: boolean;
}

/** Does one piece of work. It never throws, so that errors can be sent to another thread. */
export function encodingResult(job: EncodingJob | DecodingJob): EncodingResult {
  try {
    if (job.task === 'body') return { json: JSON.stringify(decodeProtobuf(job.body, job.expected)) };
    return { bytes: encodeJob(job) };
  } catch (error) {
    return { problem: (error as Error).message, isOurs: !(error instanceof ParseError) };
  }
}

function encodeJob(job: EncodingJob): Uint8Array | undefined {
  if (job.task === 'object') return encodeObject(job.text, job.format);
  if (job.task === 'watch event') {
    const { type, object } = JSON.parse(job.text) as { readonly type: string; readonly object: ProtobufObject };
    return encodeWatchFrame(type, object);
  }
  const { format, texts, opening, list } = job;
  const items = texts.map((text) => JSON.parse(`${opening}${text}`) as unknown);
  if (format === 'protobuf') return encodeListItems(items, list);
  return encodeUtf8(items.map(format === 'yaml' ? yamlItem : prettyItem).join(format === 'yaml' ? '' : ','));
}

function encodeObject(text: string, format: Encoding): Uint8Array | undefined {
  const object = JSON.parse(text) as ProtobufObject;
  // Discovery of the core group does not state its version.
  if (format === 'protobuf') return encodeProtobuf({ ...object, apiVersion: object.apiVersion ?? 'v1' });
  return encodeUtf8(format === 'yaml' ? stringify(object, YAML_OPTIONS) : JSON.stringify(object, null, 2));
}

/** Formats an item of a list as YAML. */
export function yamlItem(item: unknown): string {
  return stringify([item], YAML_OPTIONS);
}

/** Formats an item of a list for people, on new lines. */
export function prettyItem(item: unknown): string {
  return `\n    ${JSON.stringify(item, null, 2).replaceAll('\n', '\n    ')}`;
}
