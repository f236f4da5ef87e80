/**
 * Announces work on behalf of a request before it is done; a promise is awaited first. A unit is about 50 ns of the
 * thread: what a write costs for one byte of its body.
 */
export type AnnounceWork = (units: number) => Promise<void> | undefined;

export const WORK = {
  /** What any request costs, however small. */
  request: 4 * 1024,
  /** What one more piece of a response costs, as of a watch, however small. */
  piece: 512,
  /** What a chunk of a long text costs to read. */
  chunk: 64 * 1024,
  /** What agreeing with a client on how to encrypt costs. */
  handshake: 32 * 1024,
  /** A byte of a body costs this part while it arrives, and again when the whole is put together. */
  receivedByte: 1 / 32,
  /** A byte that is sent costs this part of one that is received. */
  sentByte: 1 / 32,
} as const;
