import type { Command } from 'commander';
import { UsageError } from '#platform/base/errors';
import { CheckedCommand } from './checked-command.ts';
import type { Io } from './io.ts';
import { type NodeFlags, nodeFlags } from './node-flags.ts';

export interface NodesSettings extends NodeFlags {
  readonly count: number;
}

/** Builds `vimana nodes --count N --print`, which prints the simulated nodes as manifests for a cluster with KWOK. */
export function nodesCommand(io: Io, render: (settings: NodesSettings) => Promise<string>): Command {
  return nodeFlags(new CheckedCommand('nodes'), 'count')
    .description('print simulated nodes and their Stages for KWOK on a real cluster')
    .option('--print', 'print the manifests')
    .action(async ({ print, ...settings }: NodesSettings & { readonly print?: boolean }) => {
      if (print !== true) {
        throw new UsageError('vimana nodes needs --print', {
          hint: 'For example: vimana nodes --count 10 --print | kubectl apply -f -. vimana up creates its own nodes.',
        });
      }
      io.out(await render(settings));
    });
}
