import type { DialectName } from '#api/groups';
import { type Clock, realClock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { reportedError } from '#programs/cli/failure';
import type { Io } from '#programs/cli/io';
import { vimanaProgram } from '#programs/cli/program';
import { install } from '#programs/install/install';
import { uninstall } from '#programs/install/uninstall';
import type { Embedded } from '#programs/up/embedded';
import type { NodePool } from '#vm/node/simulated/node-pool';
import { startInMemory } from './embedded-in-memory.ts';
import { IDLE_STARTERS } from './idle-starters.ts';
import { memoryIo } from './memory-io.ts';
import { noStreams } from './no-streams.ts';

export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Cluster in this process, with the command line connected to it. */
export interface CommandHarness {
  readonly embedded: Embedded;
  readonly admin: Client;
  /** Runs a command to its end, or until the signal is aborted. */
  run(args: readonly string[], options?: RunOptions): Promise<CommandOutcome>;
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly files?: Readonly<Record<string, string>>;
  /** Reads files from another source than `files`. */
  readonly io?: Pick<Io, 'read' | 'manifestsAt'>;
  /** Called with all output so far, each time that there is more. */
  readonly onOutput?: (out: string) => void;
  /** Called in the same way for standard error. */
  readonly onError?: (err: string) => void;
  /** Colors the output as on a terminal. */
  readonly colors?: boolean;
  /** Clock of the command. Defaults to that of the host. */
  readonly clock?: Clock;
}

export async function startCommandHarness(
  pools: readonly NodePool[] = [{ count: 2 }],
  dialects: readonly DialectName[] = ['kubevirt', 'hypersdk'],
): Promise<CommandHarness> {
  const embedded = await startInMemory({ dialects, pools });
  const { admin } = embedded;
  return {
    embedded,
    admin,
    stop: () => embedded.stop(),
    run: (args, options = {}) => runCommand(admin, args, options),
  };
}

/** Runs a command of the program against the cluster of a client. */
export async function runCommand(
  client: Client,
  args: readonly string[],
  options: RunOptions = {},
): Promise<CommandOutcome> {
  const { signal = new AbortController().signal, files = {}, io: reading, clock = realClock } = options;
  const memory = memoryIo(files);
  const { printed } = memory;
  const io: Io = {
    ...memory,
    out: (text) => {
      memory.out(text);
      options.onOutput?.(printed.out);
    },
    err: (text) => {
      memory.err(text);
      options.onError?.(printed.err);
    },
    ...reading,
    ...(options.colors === undefined ? {} : { colors: { out: options.colors, err: options.colors } }),
  };
  const connect = async ({ namespace = 'default' }: { readonly namespace?: string }) => ({
    client,
    namespace,
    ...noStreams,
    close: async () => {},
  });
  const kubeconfigNames = async () => ['laptop', 'office'];
  const starters = { ...IDLE_STARTERS, install, uninstall, connect, kubeconfigNames };
  try {
    await vimanaProgram({ io, version: '0', clock, signal, starters }).parseAsync([...args], {
      from: 'user',
    });
    return { code: 0, ...printed };
  } catch (error) {
    return { code: reportedError(error, io, { debug: true }), ...printed };
  }
}
