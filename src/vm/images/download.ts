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
    const answer = await web(image.source, { method: 'GET', headers, signal: either });
    timeout.renew();
    const refusal = responseProblem(answer, limits.bytes);
    if (refusal === undefined) return { digest: await digestOf(answer, algorithmOf(image), limits.bytes, timeout) };
    await discard(answer);
    return { failure: refusal };
  } catch (error) {
    if (signal.aborted) return undefined;
    return { failure: wordsOf(timeout.signal.aborted ? timeout.signal.reason : error) };
  }
}

function responseProblem({ status, headers }: WebAnswer, most: number): string | undefined {
  if (status !== 200) return `the server returned ${status}`;
  return Number(headers.get('content-length') ?? 0) > most ? tooLarge(most) : undefined;
}

async function digestOf(
  { body }: WebAnswer,
  algorithm: string,
  most: number,
  timeout: DownloadTimeout,
): Promise<string> {
  const hash = createHash(algorithm);
  let bytes = 0;
  for await (const piece of body ?? []) {
    timeout.renew();
    bytes += piece.byteLength;
    if (bytes > most) throw new Error(tooLarge(most));
    hash.update(piece);
  }
  return hash.digest('hex');
}

const tooLarge = (most: number) => `it is larger than ${formatQuantity(quantityOf(most, 'BinarySI'))}`;

/** Returns the cause of a failed fetch, which holds the reason. */
function wordsOf(error: unknown): string {
  const { message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return redactText(message || code || 'no response');
}
