import { type Command, InvalidArgumentError } from 'commander';
import { decodeUtf8 } from '#platform/base/bytes';
import type { VmDeps } from '../../vm-deps.ts';
import { withGuest } from './guest-target.ts';
import { launcherPath } from './launcher-pod.ts';

interface LogsFlags {
  readonly follow?: boolean;
  readonly tail?: number;
}

/** Adds `vm logs`, which prints what a guest has written to its serial console. */
export function addLogsCommand(vm: Command, parts: VmDeps): void {
  vm.command('logs')
    .description('print the serial log of a VM')
    .argument('<name>')
    .option('-f, --follow', 'print new lines until Ctrl-C')
    .option('--tail <count>', 'only the last lines', lineCount)
    .action((name: string, { follow, tail }: LogsFlags, command: Command) =>
      withGuest(parts, command, name, async (target) => {
        const query = new URLSearchParams({
          ...(follow === true ? { follow: 'true' } : {}),
          ...(tail === undefined ? {} : { tailLines: String(tail) }),
        });
        const { signal, io } = parts;
        const pieces = await target.connection.stream(await launcherPath(target, 'log', query), signal);
        try {
          for await (const piece of pieces) io.out(decodeUtf8(piece));
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      }),
    );
}

function lineCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
