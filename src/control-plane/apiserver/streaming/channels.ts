import { KubeError, type KubeErrorDetails } from '#platform/kube/kube-error';

/** Subprotocols of exec and attach: each message begins with the number of its channel. Version 5 can close channels. */
export const CHANNEL_PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

export const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Returns the message that carries data on a channel. */
export function channelMessage(channel: number, data: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(channel), data]);
}

/** Returns the channel of a message and its data, or undefined for an empty message. */
export function parseChannelMessage(
  message: Buffer | string,
): { readonly channel: number; readonly data: Buffer } | undefined {
  const bytes = typeof message === 'string' ? Buffer.from(message) : message;
  const [channel] = bytes;
  return channel === undefined ? undefined : { channel, data: bytes.subarray(1) };
}

interface StreamStatus {
  readonly metadata: object;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: KubeErrorDetails;
  readonly code?: number;
}

/** Returns the status that ends a stream on the error channel, by the exit code of the command. */
export function exitStatus(code: number): StreamStatus {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** Returns the status of a stream that failed after the handshake. */
export function failureStatus(error: unknown): StreamStatus {
  const { code, reason, message } =
    error instanceof KubeError ? error : new KubeError(500, 'InternalError', 'the connection failed');
  return { metadata: {}, status: 'Failure', message, reason, code };
}
