import type { Clock } from '../../base/clock.ts';

/** What is known of an image. */
export interface ImageSight {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Of the file. */
  readonly bytes?: number;
}

/** Asks where an image lies whether it is there; never fails. */
export type ImageProbe = (source: string, signal: AbortSignal) => Promise<ImageSight>;

/** Where nobody looks: simulated nodes fetch no image. */
export const NOT_LOOKED_AT: ImageSight = {
  status: 'Unknown',
  reason: 'NotChecked',
  message: 'nobody has looked for the image: simulated machines fetch none',
};

/** As much of `fetch` as it takes. */
export type Head = (
  url: string,
  options: { readonly method: 'HEAD'; readonly signal: AbortSignal },
) => Promise<{ readonly status: number; readonly headers: { get(name: string): string | null } }>;

const PATIENCE_MS = 10_000;

/** Asks web servers for images that lie on one; of others nothing is known. */
export function webImageProbe(head: Head, clock: Clock): ImageProbe {
  return async (source, signal) => {
    if (!/^https?:\/\//.test(source)) {
      return { ...NOT_LOOKED_AT, message: 'only images at http:// and https:// addresses are looked for' };
    }
    const patience = new AbortController();
    const timer = clock.timer(PATIENCE_MS, () => patience.abort(new Error(`no answer within ${PATIENCE_MS / 1000} s`)));
    try {
      const limits = AbortSignal.any([signal, patience.signal]);
      return answered(source, await head(source, { method: 'HEAD', signal: limits }));
    } catch (error) {
      const why = patience.signal.aborted ? patience.signal.reason : error;
      return { status: 'Unknown', reason: 'Unreachable', message: `${source} cannot be asked: ${textOf(why)}` };
    } finally {
      timer.cancel();
    }
  };
}

function answered(source: string, { status, headers }: Awaited<ReturnType<Head>>): ImageSight {
  if (status >= 200 && status < 300) {
    const bytes = Number(headers.get('content-length') ?? Number.NaN);
    const found = { status: 'True', reason: 'Found', message: `${source} is there` } as const;
    return Number.isSafeInteger(bytes) ? { ...found, bytes } : found;
  }
  // Some servers do not answer this question, and a fault of the server is no word about the image.
  if (status === 405 || status === 501 || status >= 500 || status === 429) {
    return { status: 'Unknown', reason: 'Unreachable', message: `${source} answers ${status}` };
  }
  return { status: 'False', reason: status === 404 ? 'NotFound' : 'Refused', message: `${source} answers ${status}` };
}

/** The reason of a failed fetch is in its cause. */
function textOf(error: unknown): string {
  const { message, cause } = error as { readonly message: string; readonly cause?: { readonly message?: string } };
  return cause?.message ?? message;
}
