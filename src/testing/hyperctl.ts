import { realClock } from '#platform/base/clock';
import { seededRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { reportedError } from '#programs/cli/failure';
import { hyperctlProgram } from '#programs/cli/hyperctl/program';
import type { CommandOutcome } from './command-harness.ts';
import { IDLE_STARTERS } from './idle-starters.ts';
import { memoryIo } from './memory-io.ts';
import { noStreams } from './no-streams.ts';

interface CallOptions {
  /** Client of the cluster. Without one, a call that connects to a cluster fails. */
  readonly client?: Client;
  readonly files?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Input of the user, one line for each question. Without it there is no terminal. */
  readonly answers?: readonly string[];
}

/** Runs a call of hyperctl to its end. Generated names end with the values of seed 1. */
export async function runHyperctl(
  args: readonly string[],
  { client, files = {}, signal = new AbortController().signal, answers }: CallOptions = {},
): Promise<CommandOutcome> {
  const memory = memoryIo(files);
  const { printed } = memory;
  const left = [...(answers ?? [])];
  const ask = async (question: string) => {
    memory.err(question);
    const response = left.shift();
    if (response === undefined) throw new Error(`nobody answers ${question}`);
    return response;
  };
  const io = answers === undefined ? memory : { ...memory, ask };
  const connect = async ({ namespace = 'default' }: { readonly namespace?: string }) => {
    if (client === undefined) throw new Error('there is no cluster');
    return { client, namespace, ...noStreams, close: async () => {} };
  };
  const starters = { ...IDLE_STARTERS, connect, kubeconfigNames: async () => [] };
  const random = seededRandom(1);
  try {
    await hyperctlProgram({ io, version: '0', clock: realClock, random, signal, starters }).call(args);
    return { code: 0, ...printed };
  } catch (error) {
    return { code: reportedError(error, io, { debug: true }), ...printed };
  }
}
