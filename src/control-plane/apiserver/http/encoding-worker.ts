import { parentPort } from 'node:worker_threads';
import type { EncodingJob } from '../long-work.ts';
import { type DecodingJob, encodingResult } from './encoding-job.ts';

parentPort?.on('message', ({ id, ...job }: (EncodingJob | DecodingJob) & { readonly id: number }) => {
  const { bytes, ...result } = encodingResult(job);
  // Bytes are moved instead of copied, unless they are a part of a larger buffer.
  const own = bytes === undefined ? undefined : ownBytes(bytes);
  parentPort?.postMessage({ id, bytes: own, ...result }, own === undefined ? [] : [own.buffer]);
});

function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, length } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === length ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
