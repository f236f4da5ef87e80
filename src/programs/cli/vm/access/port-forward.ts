import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { UsageError } from '#platform/base/errors';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import type { VmDeps } from '../../vm-deps.ts';
import { type GuestTarget, openGuestStream, withGuest } from './guest-target.ts';
import { listenLocally } from './listen-locally.ts';
import { parsePortMapping } from './port-mapping.ts';

interface PortForwardFlags {
  readonly address: string;
  readonly stdio?: boolean;
}

/** Adds `vm port-forward`, which makes ports of a guest reachable from this host. */
export function addPortForwardCommand(vm: Command, parts: VmDeps): void {
  vm.command('port-forward')
    .description('forward local ports to TCP ports of a VM')
    .argument('<name>')
    .argument('<ports...>', 'ports: 8080, 8080:80 or :80 for any free local port')
    .option('--address <ip>', 'local address to listen on', '127.0.0.1')
    .option('--stdio', 'connect standard input and output to one port instead of listening')
    .action((name: string, ports: string[], flags: PortForwardFlags, command: Command) =>
      withGuest(parts, command, name, async (target) => {
        const mappings = ports.map(parsePortMapping);
        if (flags.stdio === true)
          await forwardStdio(
            parts,
            target,
            mappings.map(({ remote }) => remote),
          );
        else await listen(parts, target, mappings, flags.address);
      }),
    );
}

async function forwardStdio({ io }: VmDeps, target: GuestTarget, [port, another]: readonly number[]): Promise<void> {
  if (port === undefined || another !== undefined) throw new UsageError('--stdio forwards exactly one port');
  if (io.streams === undefined) throw new UsageError('--stdio needs standard input and output');
  const { input, output } = io.streams;
  const stream = await openGuestStream(target, `portforward/${port}`);
  input.pipe(stream);
  stream.pipe(output, { end: false });
  await finished(stream).catch(() => undefined);
  input.pause();
}

async function listen(
  { io, signal }: VmDeps,
  target: GuestTarget,
  mappings: readonly { readonly local: number; readonly remote: number }[],
  address: string,
): Promise<void> {
  const listeners = [];
  try {
    for (const { local, remote } of mappings) {
      const listener = await listenLocally(
        { address, port: local },
        () => openGuestStream(target, `portforward/${remote}`),
        (error) => io.err(`port ${remote}: ${error instanceof Error ? error.message : String(error)}\n`),
      );
      listeners.push(listener);
      io.out(`Forwarding from ${address}:${listener.port} -> ${remote}\n`);
    }
    await waitForAbort(signal);
  } finally {
    await Promise.all(listeners.map((listener) => listener.close()));
  }
}
