import type { Duplex } from 'node:stream';
import { KubeError } from '#platform/kube/kube-error';
import type { ExecRequest, ExecResult } from '#platform/kube/node-runtime';
import { CHANNEL, channelMessage, exitStatus, failureStatus, parseChannelMessage } from './channels.ts';

/** Maximum input of a command, all of which is in memory. */
const MAX_INPUT = 4 << 20;
const MAX_MESSAGE = 32 * 1024;

/** Runs a command for a client of the channel protocol, and sends its output and exit code. */
export function execByChannels(
  client: Duplex,
  { stdin, canClose }: { readonly stdin: boolean; readonly canClose: boolean },
  run: (io: Pick<ExecRequest, 'stdin' | 'signal'>) => Promise<ExecResult>,
): void {
  const gone = new AbortController();
  const input = collectInput(client, canClose);
  client.on('error', () => undefined).once('close', () => gone.abort());
  const io = { signal: gone.signal, ...(stdin ? { stdin: () => input } : {}) };
  input.catch(() => undefined);
  void run(io)
    .then((result) => sendResult(client, result))
    .catch((error: unknown) => sendStatus(client, failureStatus(error)));
}

/** Collects the input until the client closes its channel. Older clients cannot, and end it by leaving. */
function collectInput(client: Duplex, canClose: boolean): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const parts: Buffer[] = [];
  let length = 0;
  client.on('data', (message: Buffer | string) => {
    const { channel, data = Buffer.alloc(0) } = parseChannelMessage(message) ?? {};
    if (channel === CHANNEL.close && canClose && data[0] === CHANNEL.stdin) resolve(Buffer.concat(parts));
    if (channel !== CHANNEL.stdin) return;
    length += data.length;
    if (length <= MAX_INPUT) parts.push(data);
    else reject(new KubeError(413, 'RequestEntityTooLarge', `the input of a command has at most ${MAX_INPUT} bytes`));
  });
  client.once('end', () => resolve(Buffer.concat(parts)));
  return promise;
}

function sendResult(client: Duplex, { stdout, stderr, exitCode }: ExecResult): void {
  for (const [channel, output] of [
    [CHANNEL.stdout, stdout],
    [CHANNEL.stderr, stderr],
  ] as const) {
    for (let at = 0; at < output.length; at += MAX_MESSAGE) {
      client.write(channelMessage(channel, output.subarray(at, at + MAX_MESSAGE)));
    }
  }
  sendStatus(client, exitStatus(exitCode));
}

function sendStatus(client: Duplex, status: object): void {
  if (client.destroyed || client.writableEnded) return;
  client.end(channelMessage(CHANNEL.error, Buffer.from(JSON.stringify(status))));
}
