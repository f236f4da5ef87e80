/**
 * Announces work on behalf of a request before it is done; a returned promise must be awaited first. A unit is about 50
 * ns of the thread: the cost of one byte of the body of a write.
 */
export type AnnounceWork = (units: number) => Promise<void> | undefined;

export const WORK = {
  /** Cost of any request, however small. */
  request: 4 * 1024,
  /** Cost of one more piece of a response, such as that of a watch, however small. */
  piece: 512,
  /** Cost of reading a chunk of a long text. */
  chunk: 64 * 1024,
  /** Cost of a TLS handshake. */
  handshake: 32 * 1024,
  /** Cost of a byte of a body while it arrives, and again when the whole body is assembled. */
  receivedByte: 1 / 32,
  /** Cost of a byte that is sent, relative to one that is received. */
  sentByte: 1 / 32,
} as const;
