import type { Clock } from '#platform/base/clock';
import { redactText } from '#platform/base/redact';
import { isOnWeb, shownAddress } from '#platform/base/web-address';

/** Result of probing an image. */
export interface ImageProbeResult {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Size of the file. */
  readonly bytes?: number;
}

/** Checks whether an image exists at its source. It never fails. */
export type ImageProbe = (source: string, signal: AbortSignal) => Promise<ImageProbeResult>;

/** Result if images are not probed. Simulated nodes do not download images. */
export const NOT_PROBED: ImageProbeResult = {
  status: 'Unknown',
  reason: 'NotChecked',
  message: 'the image was not checked: simulated VMs do not download images',
};

/** Minimal interface of the HTTP client. */
export type ProbeRequest = (
  url: string,
  options: {
    readonly method: 'HEAD' | 'GET';
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
) => Promise<Answer>;

interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { cancel?(): Promise<void> } | null;
}

const TIMEOUT_MS = 10_000;

/** Probes images on web servers. Nothing is known about others. */
export function webImageProbe(ask: ProbeRequest, clock: Clock): ImageProbe {
  return async (source, signal) => {
    if (!isOnWeb(source)) {
      return { ...NOT_PROBED, message: 'only images with http:// and https:// URLs are checked' };
    }
    const where = shownAddress(source);
    const timeoutMs = new AbortController();
    const timer = clock.timer(TIMEOUT_MS, () => timeoutMs.abort(new Error(`no response within ${TIMEOUT_MS / 1000}s`)));
    try {
      return toProbeResult(where, await request(ask, source, AbortSignal.any([signal, timeoutMs.signal])));
    } catch (error) {
      const why = timeoutMs.signal.aborted ? timeoutMs.signal.reason : error;
      return { status: 'Unknown', reason: 'Unreachable', message: `${where} cannot be reached: ${textOf(why)}` };
    } finally {
      timer.cancel();
    }
  };
}

/** Requests the first byte from servers that do not support HEAD. */
async function request(ask: ProbeRequest, source: string, signal: AbortSignal): Promise<Answer> {
  const response = await ask(source, { method: 'HEAD', headers: {}, signal });
  if (response.status !== 405 && response.status !== 501) return response;
  const first = await ask(source, { method: 'GET', headers: { range: 'bytes=0-0' }, signal });
  await first.body?.cancel?.();
  return first;
}

function toProbeResult(where: string, { status, headers }: Answer): ImageProbeResult {
  if (status >= 200 && status < 300) {
    const length = status === 206 ? headers.get('content-range')?.split('/')[1] : headers.get('content-length');
    const bytes = Number(length ?? Number.NaN);
    const found = { status: 'True', reason: 'Found', message: `${where} is available` } as const;
    return Number.isSafeInteger(bytes) ? { ...found, bytes } : found;
  }
  // Some servers support neither request, and a server error says nothing about the image.
  if (status === 405 || status === 501 || status >= 500 || status === 429) {
    return { status: 'Unknown', reason: 'Unreachable', message: `${where} returned ${status}` };
  }
  return { status: 'False', reason: status === 404 ? 'NotFound' : 'Refused', message: `${where} returned ${status}` };
}

/** Returns the cause of a failed fetch, which holds the reason. */
function textOf(error: unknown): string {
  const { message, cause } = error as { readonly message: string; readonly cause?: { readonly message?: string } };
  return redactText(cause?.message || message);
}
