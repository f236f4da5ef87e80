import type { Duplex } from 'node:stream';
import type { Command } from 'commander';
import { VimanaError } from '#platform/base/errors';
import { ReportedError } from '../../failure.ts';
import type { TerminalStreams } from '../../io.ts';
import type { VmDeps } from '../../vm-deps.ts';
import { withGuest } from './guest-target.ts';
import { launcherPath } from './launcher-pod.ts';

const PROTOCOL = 'v5.channel.k8s.io';
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const CLOSE = 255;

interface ExecStatus {
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

/** Adds `vm exec`, which runs a command in a guest through its guest agent. */
export function addExecCommand(vm: Command, parts: VmDeps): void {
  vm.command('exec')
    .description('run a command in a VM through its guest agent')
    .argument('<name>')
    .argument('<command...>', 'command to run; put -- before it')
    .option('-i, --stdin', 'pass standard input to the command')
    .action((name: string, words: string[], { stdin }: { stdin?: boolean }, command: Command) =>
      withGuest(parts, command, name, async (target) => {
        const query = new URLSearchParams([
          ['stdout', 'true'],
          ['stderr', 'true'],
          ...(stdin === true ? [['stdin', 'true'] as [string, string]] : []),
          ...words.map((word): [string, string] => ['command', word]),
        ]);
        const path = await launcherPath(target, 'exec', query);
        const { stream } = await target.connection.webSocket(path, [PROTOCOL]);
        if (stdin === true && parts.io.streams !== undefined) sendInput(stream, parts.io.streams);
        const code = exitCodeOf(await receive(stream, parts));
        if (code !== 0) throw new ReportedError(code);
      }),
    );
}

function sendInput(stream: Duplex, { input }: TerminalStreams): void {
  const send = (channel: number, data: Uint8Array) => stream.write(Buffer.concat([Buffer.of(channel), data]));
  input.on('data', (chunk: Buffer) => send(STDIN, chunk)).once('end', () => send(CLOSE, Buffer.of(STDIN)));
}

/** Prints the output of a command, and returns the status that ends it. */
async function receive(stream: Duplex, { io }: VmDeps): Promise<ExecStatus> {
  let status: ExecStatus = { status: 'Failure', message: 'the connection ended before the command' };
  for await (const message of stream as AsyncIterable<Buffer>) {
    const [channel, data] = [message[0], message.subarray(1)];
    if (channel === STDOUT) io.out(data.toString());
    if (channel === STDERR) io.err(data.toString());
    if (channel === ERROR) status = JSON.parse(data.toString()) as ExecStatus;
  }
  return status;
}

function exitCodeOf({ status, reason, message = '', details }: ExecStatus): number {
  if (status === 'Success') return 0;
  const cause = details?.causes?.find((each) => each.reason === 'ExitCode');
  if (reason === 'NonZeroExitCode' && cause !== undefined) return Number(cause.message);
  throw new VimanaError('EXEC', `the command could not be run: ${message}`);
}
