import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '#platform/base/clock';
import { redactText } from '#platform/base/redact';
import { ForbiddenHostError } from '#vm/images/checked-fetch';
import { DownloadTimeout, type DownloadTimeouts } from '#vm/images/download-timeout';
import { discard, type Web, type WebAnswer } from '#vm/images/web';
import { ImageError } from '../image-error.ts';
import { type Checksum, ContentHash, formatChecksum } from './content-hash.ts';
import type { PartialFile } from './partial-file.ts';
import { rangeResult } from './range-response.ts';

export interface RemoteFile {
  readonly url: string;
  /** Name of the file in messages, without secrets. */
  readonly shown: string;
  /** Returns the headers of a request, such as a signature, which is made for one moment. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly checksum?: Checksum;
  /** The checksum identifies the file, so that a part of it can be continued without a validator. */
  readonly isKnownByDigest?: boolean;
  /** Size, if it is known before. */
  readonly bytes?: number;
  /** Tag of a version that is there already. */
  readonly knownTag?: string;
}

export interface FileDownloadDeps {
  readonly web: Web;
  readonly clock: Clock;
  readonly timeouts: DownloadTimeouts;
  readonly maxBytes: number;
  /** Throws if the disk has no room for so many bytes more. */
  readonly assertRoom: (bytes: number) => Promise<void>;
  readonly onProgress: (received: number, total: number | undefined) => void;
}

export interface ReceivedFile {
  readonly sha256: string;
  readonly bytes: number;
  /** Validator of this version, if the server gave one. */
  readonly tag?: string;
}

const MAX_ATTEMPTS = 5;
const RETRY_MS = 1_000;

/**
 * Receives a file, and verifies its checksum meanwhile. An interrupted download is continued, in this process or a
 * later one. Returns undefined if the server has no other version than the known one.
 */
export async function downloadFile(
  file: RemoteFile,
  partial: PartialFile,
  deps: FileDownloadDeps,
  signal: AbortSignal,
): Promise<ReceivedFile | undefined> {
  for (let attempt = 1; ; attempt++) {
    const before = await partial.resumableBytes(file.isKnownByDigest === true);
    try {
      return await receive(file, partial, before, deps, signal);
    } catch (error) {
      signal.throwIfAborted();
      // A part that was damaged on disk is received again.
      if (error instanceof ImageError && error.reason === 'ChecksumMismatch' && before > 0) continue;
      if (error instanceof ImageError && error.reason !== 'ErrImagePull') throw error;
      const isStuck = (await partial.resumableBytes(file.isKnownByDigest === true)) <= before;
      const isForbidden = ((error as Error).cause ?? error) instanceof ForbiddenHostError;
      const isFinal = error instanceof ImageError || isForbidden || (isStuck && attempt >= MAX_ATTEMPTS);
      if (isFinal) throw failure(file, error);
      if (!isStuck) attempt = 0;
      await deps.clock.sleep(RETRY_MS * 2 ** attempt, signal);
    }
  }
}

async function receive(
  file: RemoteFile,
  partial: PartialFile,
  received: number,
  deps: FileDownloadDeps,
  signal: AbortSignal,
): Promise<ReceivedFile | undefined> {
  using timeout = new DownloadTimeout(deps.clock, deps.timeouts);
  const either = AbortSignal.any([signal, timeout.signal]);
  try {
    const response = await request(file, partial, received, deps.web, either);
    const result = rangeResult(response.status, response.headers, received);
    if (typeof result !== 'object') await discard(response);
    if (result === 'not modified') return undefined;
    if (result === undefined) throw statusError(file, response.status);
    if (result === 'restart') {
      await partial.remove();
      throw new Error('the server cannot continue the download');
    }
    const hash = new ContentHash(file.checksum);
    if (result.from > 0) await partial.hashInto(hash);
    await assertAcceptable(file, result.total, result.from, deps);
    const tag = result.tag === undefined ? {} : { tag: result.tag };
    const output = result.from > 0 ? await partial.append() : await partial.restart(tag);
    await using _closed = output;
    if (result.isComplete) await discard(response);
    else await store(response, output, hash, { deps, total: result.total, timeout });
    return { ...(await verifyFile(file, partial, hash, result.total)), ...tag };
  } catch (error) {
    if (!signal.aborted && timeout.signal.aborted) throw timeout.signal.reason;
    throw error;
  }
}

async function request(
  file: RemoteFile,
  partial: PartialFile,
  received: number,
  web: Web,
  signal: AbortSignal,
): Promise<WebAnswer> {
  const tag = received > 0 ? await partial.tag() : undefined;
  const headers = {
    ...file.headers(),
    // The digest is that of the stored file, so no content encoding is accepted.
    'accept-encoding': 'identity',
    ...(received > 0 ? { range: `bytes=${received}-` } : {}),
    ...(tag === undefined ? {} : { 'if-range': tag }),
    ...(received === 0 && file.knownTag !== undefined ? conditionOf(file.knownTag) : {}),
  };
  return await web(file.url, { method: 'GET', headers, signal });
}

const conditionOf = (tag: string): Record<string, string> =>
  tag.startsWith('"') ? { 'if-none-match': tag } : { 'if-modified-since': tag };

async function assertAcceptable(
  file: RemoteFile,
  total: number | undefined,
  from: number,
  { maxBytes, assertRoom }: FileDownloadDeps,
): Promise<void> {
  if ((total ?? 0) > maxBytes) throw tooLarge(maxBytes);
  await assertRoom((total ?? file.bytes ?? 0) - from);
}

async function store(
  { body }: WebAnswer,
  output: FileHandle,
  hash: ContentHash,
  given: { readonly deps: FileDownloadDeps; readonly total: number | undefined; readonly timeout: DownloadTimeout },
): Promise<void> {
  const { deps, total, timeout } = given;
  for await (const chunk of body ?? []) {
    timeout.renew();
    hash.update(chunk);
    if (hash.bytes > deps.maxBytes) throw tooLarge(deps.maxBytes);
    await output.writeFile(chunk);
    deps.onProgress(hash.bytes, total);
  }
  await output.sync();
}

async function verifyFile(
  file: RemoteFile,
  partial: PartialFile,
  hash: ContentHash,
  total: number | undefined,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const { bytes } = hash;
  if (total !== undefined && bytes < total) throw new Error('the connection was closed before the end');
  const { sha256, matches } = hash.finish();
  if (matches) return { sha256, bytes };
  await partial.remove();
  const expected = file.checksum === undefined ? '' : ` ${formatChecksum(file.checksum)}`;
  throw new ImageError('ChecksumMismatch', `${file.shown} does not match its checksum${expected}`);
}

function tooLarge(max: number): ImageError {
  return new ImageError('ImageRejected', `the image is rejected: it is larger than ${max} bytes`);
}

function statusError({ shown }: RemoteFile, status: number): Error {
  const message = `cannot download ${shown}: the server returned ${status}`;
  // A busy or restarting server is tried again.
  return status === 429 || status >= 500 ? new Error(message) : new ImageError('ErrImagePull', message);
}

/** Returns the cause of a failed fetch, which holds the reason. */
function failure({ shown }: RemoteFile, error: unknown): ImageError {
  if (error instanceof ImageError) return error;
  const { message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  const why = redactText(message || code || 'no response');
  return new ImageError('ErrImagePull', why.startsWith('cannot download') ? why : `cannot download ${shown}: ${why}`);
}
