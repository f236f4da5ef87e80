import { ParseError } from '#platform/base/errors';
import type { Encoder } from '../long-work.ts';
import { type EncodingResult, encodingResult } from './encoding-job.ts';

/** Encodes on the thread of the caller, where there is no other. */
export const localEncoder: Encoder = {
  encode: async (job) => bytesOfResult(encodingResult(job)),
  decode: async (body, expected) => jsonOfResult(encodingResult({ task: 'body', body, expected })),
  async close() {},
};

export function bytesOfResult(result: EncodingResult): Uint8Array | undefined {
  if (result.problem !== undefined) throw errorOf(result);
  return result.bytes;
}

export function jsonOfResult(result: EncodingResult): string {
  if (result.json === undefined) throw errorOf(result);
  return result.json;
}

function errorOf({ problem = 'nothing was decoded', isOurs = true }: EncodingResult): Error {
  return isOurs ? new Error(problem) : new ParseError(problem);
}
