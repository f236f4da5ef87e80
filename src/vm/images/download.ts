import { createHash } from 'node:crypto';
import type { Clock } from '#platform/base/clock';
import { formatQuantity, quantityOf } from '#platform/base/quantity';
import { redactText } from '#platform/base/redact';
import { algorithmOf, type CheckedImage, type FetchResult } from './digest.ts';
import { DownloadTimeout, type DownloadTimeouts } from './download-timeout.ts';
import { discard, type Web, type WebAnswer } from './web.ts';

export interface DownloadDeps {
  readonly web: Web;
  readonly clock: Clock;
  readonly limits: DownloadLimits;
}

export interface DownloadLimits extends DownloadTimeouts {
  readonly bytes: number;
}

/** Fetches an image in chunks, keeps only the digest, and never fails. An aborted download has no result. */
export async function download(
  image: CheckedImage,
  { web, clock, limits }: DownloadDeps,
  signal: AbortSignal,
): Promise<FetchResult | undefined> {
  using timeout = new DownloadTimeout(clock, limits);
  try {
    const either = AbortSignal.any([signal, timeout.signal]);
    // The digest is that of the stored file, so no content encoding is accepted.
    const headers = { 'accept-encoding': 'identity' };
    const response = await web(image.source, { method: 'GET', headers, signal: either });
    timeout.renew();
    const refusal = responseProblem(response, limits.bytes);
    if (refusal === undefined) return { digest: await digestOf(response, algorithmOf(image), limits.bytes, timeout) };
    await discard(response);
    return { failure: refusal };
  } catch (error) {
    if (signal.aborted) return undefined;
    return { failure: wordsOf(timeout.signal.aborted ? timeout.signal.reason : error) };
  }
}

function responseProblem({ status, headers }: WebAnswer, max: number): string | undefined {
  if (status !== 200) return `the server returned ${status}`;
  return Number(headers.get('content-length') ?? 0) > max ? tooLarge(max) : undefined;
}

async function digestOf(
  { body }: WebAnswer,
  algorithm: string,
  max: number,
  timeout: DownloadTimeout,
): Promise<string> {
  const hash = createHash(algorithm);
  let bytes = 0;
  for await (const piece of body ?? []) {
    timeout.renew();
    bytes += piece.byteLength;
    if (bytes > max) throw new Error(tooLarge(max));
    hash.update(piece);
  }
  return hash.digest('hex');
}

const tooLarge = (max: number) => `it is larger than ${formatQuantity(quantityOf(max, 'BinarySI'))}`;

/** Returns the cause of a failed fetch, which holds the reason. */
function wordsOf(error: unknown): string {
  const { message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return redactText(message || code || 'no response');
}
