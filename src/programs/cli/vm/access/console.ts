import type { Command } from 'commander';
import { UsageError } from '#platform/base/errors';
import type { VmDeps } from '../../vm-deps.ts';
import { attachTerminal } from './attach-terminal.ts';
import { openGuestStream, withGuest } from './guest-target.ts';

/** Adds `vm console`, which connects the terminal to the serial console of a guest. */
export function addConsoleCommand(vm: Command, parts: VmDeps): void {
  vm.command('console')
    .description('connect to the serial console of a VM; Ctrl-] disconnects')
    .argument('<name>')
    .action((name: string, _flags, command: Command) =>
      withGuest(parts, command, name, async (target) => {
        const { io, signal } = parts;
        const { streams } = io;
        if (streams === undefined) throw new UsageError('the console needs a terminal, or standard input and output');
        const stream = await openGuestStream(target, 'console');
        io.err(`Connected to the console of ${target.name}. Press Enter for a prompt, Ctrl-] to disconnect.\n`);
        const end = await attachTerminal(stream, streams, signal);
        io.err(end === 'left' ? '\nDisconnected.\n' : `\nThe console of ${target.name} was closed.\n`);
      }),
    );
}
