import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

/** Minimum size to compress. A smaller response arrives no sooner for being compressed. */
export const WORTH_COMPRESSING = 128 * 1024;

/** Reports whether a client accepts gzip, by its Accept-Encoding. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined || !header.includes('gzip')) return false;
  return header.split(',').some((coding) => {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim());
    return name === 'gzip' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/**
 * Compresses on a separate thread, no faster than the client reads. An error of the pieces reaches the reader: a stream
 * that fails without a listener would end the process.
 */
export function gzip(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncIterable<Uint8Array> {
  const source = Readable.from(pieces, { objectMode: false });
  return pipeline(source, createGzip({ level: 1, chunkSize: 64 * 1024 }), () => {});
}

/** Returns the pieces, and whether they are large enough to be worth compressing. Reads only as many as that takes. */
export function measurePieces(pieces: Iterable<string>): {
  readonly pieces: Iterable<string>;
  readonly large: boolean;
} {
  const iterator = pieces[Symbol.iterator]();
  const seen: string[] = [];
  let size = 0;
  while (size <= WORTH_COMPRESSING) {
    const next = iterator.next();
    if (next.done === true) return { pieces: seen, large: false };
    seen.push(next.value);
    size += next.value.length;
  }
  return { pieces: chain(seen, iterator), large: true };
}

function* chain<T>(first: readonly T[], rest: Iterator<T>): Generator<T> {
  yield* first;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}
