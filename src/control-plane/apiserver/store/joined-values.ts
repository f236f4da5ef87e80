import { encodeUtf8 } from '#platform/base/bytes';
import type { Entry } from './store.ts';

/**
 * Size of about one write to a socket; joining in pieces of this size is three times as fast as joining 20 MB at once.
 */
const PIECE_LENGTH = 64 * 1024;

/** Joins the values of entries with commas, as UTF-8 in pieces: the items of a list, ready to be sent. */
export function* joinedValues(entries: readonly Entry[]): Generator<Uint8Array, void, void> {
  let piece: string[] = [];
  let length = 0;
  for (const [i, { value }] of entries.entries()) {
    piece.push(value);
    length += value.length;
    if (length < PIECE_LENGTH && i < entries.length - 1) continue;
    if (i < entries.length - 1) piece.push('');
    yield encodeUtf8(piece.join(','));
    piece = [];
    length = 0;
  }
}
