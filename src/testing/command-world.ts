import { realClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { systemRandom } from '../base/random.ts';
import { toldFailure } from '../cli/failure.ts';
import type { Io } from '../cli/io.ts';
import { vimanaProgram } from '../cli/program.ts';
import { install } from '../install/install.ts';
import { uninstall } from '../install/uninstall.ts';
import type { Client } from '../kube/client.ts';
import type { NodePool } from '../node/simulated/node-pool.ts';
import { type Embedded, startEmbedded } from '../up/embedded.ts';
import { IDLE_STARTERS } from './idle-starters.ts';

export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A cluster in this process, and the command line in front of it. */
export interface CommandWorld {
  readonly embedded: Embedded;
  readonly admin: Client;
  /** Runs a command to its end, or until the signal is aborted. */
  run(args: readonly string[], options?: RunOptions): Promise<CommandOutcome>;
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly files?: Readonly<Record<string, string>>;
  /** Reads files in another way than from `files`. */
  readonly io?: Pick<Io, 'read' | 'manifestsAt'>;
  /** Told of all that was printed so far, each time that there is more. */
  readonly onOutput?: (out: string) => void;
}

/** Everything but the process: nodes, scheduler, operator and API server in memory. */
export async function startCommandWorld(pools: readonly NodePool[] = [{ count: 2 }]): Promise<CommandWorld> {
  const embedded = await startEmbedded({
    store: 'memory',
    port: 0,
    dialects: ['kubevirt', 'hypersdk'],
    pools,
    clock: realClock,
    random: systemRandom(),
    log: silentLogger,
  });
  const { admin } = embedded;
  return {
    embedded,
    admin,
    stop: () => embedded.stop(),
    run: (args, options = {}) => runCommand(admin, args, options),
  };
}

/** Runs a command of the program against a cluster that a client reaches. */
export async function runCommand(
  client: Client,
  args: readonly string[],
  { signal = new AbortController().signal, files = {}, io: reading, onOutput = () => {} }: RunOptions = {},
): Promise<CommandOutcome> {
  let [out, err] = ['', ''];
  const io = {
    out: (text: string) => {
      out += text;
      onOutput(out);
    },
    err: (text: string) => void (err += text),
    read: (path: string) => files[path] ?? '',
    manifestsAt: (path: string) => [path],
    ...reading,
  };
  const connect = async ({ namespace = 'default' }: { readonly namespace?: string }) => ({
    client,
    namespace,
    close: async () => {},
  });
  const kubeconfigNames = async () => ['laptop', 'office'];
  const starters = { ...IDLE_STARTERS, install, uninstall, connect, kubeconfigNames };
  try {
    await vimanaProgram({ io, version: '0', clock: realClock, signal, starters }).parseAsync([...args], {
      from: 'user',
    });
    return { code: 0, out, err };
  } catch (error) {
    return { code: toldFailure(error, io, { debug: true }), out, err };
  }
}
