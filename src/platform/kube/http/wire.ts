import { KubeError, type KubeErrorDetails } from '../kube-error.ts';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  /** Time without data after which a stream counts as stalled. Unlimited if absent. */
  readonly silentMs?: number;
}

/** Successful response as received. */
export interface WireResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends requests to an API server over any transport. */
export interface Wire {
  /** Sends a request. Throws a KubeError if the server rejects it. */
  send(sent: WireRequest): Promise<WireResponse>;
  /** Returns the open body of a long-running response, such as a watch. */
  stream(sent: WireRequest): Promise<AsyncIterable<Uint8Array>>;
}

/** Converts an error response to a KubeError. A response that is not a Status is quoted as it is. */
export function responseError(code: number, text: string): KubeError {
  try {
    const {
      reason = '',
      message = text,
      details,
    } = JSON.parse(text) as { reason?: string; message?: string; details?: KubeErrorDetails };
    return new KubeError(code, reason, message, details);
  } catch {
    return new KubeError(code, '', text.trim() || `the server returned ${code}`);
  }
}
