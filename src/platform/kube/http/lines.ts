import { concatBytes, decodeUtf8 } from '#platform/base/bytes';
/** Splits a stream of bytes into lines. An unfinished last line is dropped. */
export async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let pending: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(10, start);
      if (end < 0) break;
      pending.push(chunk.subarray(start, end));
      yield decodeUtf8(concatBytes(pending));
      pending = [];
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
}
