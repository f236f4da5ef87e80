import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { TerminalStreams } from '../../io.ts';

/** Ctrl-], which leaves a console. */
const ESCAPE_BYTE = 0x1d;

/**
 * Connects a terminal to a stream until the stream ends, the user presses Ctrl-], or the signal is aborted. Resolves to
 * what ended it. All other keys, Ctrl-C as well, reach the guest.
 */
export async function attachTerminal(
  stream: Duplex,
  { input, output, setRaw }: TerminalStreams,
  signal: AbortSignal,
): Promise<'left' | 'closed'> {
  const left = Promise.withResolvers<'left'>();
  const onInput = (chunk: Buffer) => {
    const escape = chunk.indexOf(ESCAPE_BYTE);
    if (escape === -1) {
      if (!stream.write(chunk)) {
        input.pause();
        stream.once('drain', () => input.resume());
      }
      return;
    }
    if (escape > 0) stream.write(chunk.subarray(0, escape));
    left.resolve('left');
  };
  const onAbort = () => left.resolve('left');
  signal.addEventListener('abort', onAbort, { once: true });
  setRaw(true);
  input.on('data', onInput);
  try {
    return await Promise.race([left.promise, copyOutput(stream, output)]);
  } finally {
    input.off('data', onInput).pause();
    setRaw(false);
    signal.removeEventListener('abort', onAbort);
    stream.end();
    stream.destroy();
  }
}

async function copyOutput(stream: Duplex, output: NodeJS.WritableStream): Promise<'closed'> {
  stream.on('data', (chunk: Buffer) => {
    if (output.write(chunk)) return;
    stream.pause();
    void once(output, 'drain').then(() => stream.resume());
  });
  await finished(stream, { writable: false });
  return 'closed';
}
