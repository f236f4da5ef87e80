import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../base/duration.ts';
import { type NodeFlags, nodeFlags } from './node-flags.ts';
import { portNumber } from './port-number.ts';

/** The names by which API groups are chosen. */
export const DIALECT_NAMES = ['kubevirt', 'hypersdk', 'novacron', 'simulation'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/** What `vimana up` was asked for. */
export interface UpSettings extends NodeFlags {
  readonly dataDir?: string;
  readonly ephemeral: boolean;
  readonly durability: 'sync' | 'relaxed';
  readonly port: number;
  readonly bindAddress: string;
  readonly metricsPort: number;
  readonly healthPort: number;
  readonly kubeconfigOut?: string;
  readonly dialects: readonly DialectName[];
  readonly demo?: boolean;
  readonly nodes: number;
  readonly stageDelay: number;
  readonly schedulerConfig?: string;
  readonly vmRolloutStrategy: 'LiveUpdate' | 'Stage';
  readonly nodeLostAfter: number;
  readonly auditLog?: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** `vimana up`: control plane, nodes, scheduler and operator in one process. `start` runs it until it is told to stop. */
export function upCommand(start: (settings: UpSettings) => Promise<void>): Command {
  return nodeFlags(new Command('up'), '--nodes <count>')
    .description('run everything in one process: control plane, scheduler, simulated nodes, operator')
    .option('--data-dir <folder>', 'where objects, certificates and keys are kept (default: the user data folder)')
    .option('--ephemeral', 'keep objects in memory; a data folder then holds only certificates and a lock', false)
    .addOption(
      new Option('--durability <mode>', 'sync answers a write when it is on disk; relaxed when the system has it')
        .choices(['sync', 'relaxed'])
        .default('sync'),
    )
    .option('--port <number>', 'port of the API server; 0 takes free ones for all listeners', portNumber, 6443)
    .option('--bind-address <address>', 'address that all listeners listen on', '127.0.0.1')
    .option('--metrics-port <number>', 'port of /metrics', portNumber, 8080)
    .option('--health-port <number>', 'port of /healthz and /readyz', portNumber, 8081)
    .option('--kubeconfig-out <file>', 'write a kubeconfig for the administrator there too, once ready')
    .option('--dialects <names>', 'API groups to serve, separated by commas', dialects, [...DIALECT_NAMES])
    .option('--demo', 'create the demo fleet (default on a new data folder)')
    .option('--empty', 'create no demo fleet')
    .option('--stage-delay <duration>', 'how long a pod takes to start', durationMs, 0)
    .option('--scheduler-config <file>', 'a KubeSchedulerConfiguration')
    .addOption(
      new Option('--vm-rollout-strategy <name>', 'whether changes reach a running machine')
        .choices(['LiveUpdate', 'Stage'])
        .default('LiveUpdate'),
    )
    .option('--node-lost-after <duration>', 'when a silent node is given up', lostAfter, parseDuration('40s'))
    .option('--audit-log <file>', 'append one JSON line for every request')
    .addOption(
      new Option('--log-level <level>', 'what to log')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('warn'),
    )
    .action(({ empty, ...settings }: UpSettings & { readonly empty?: boolean }) =>
      start(empty === true ? { ...settings, demo: false } : settings),
    );
}

export function dialects(text: string): DialectName[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(DIALECT_NAMES as readonly string[]).includes(name));
  if (unknown.length === 0) return names as DialectName[];
  throw new InvalidArgumentError(`${unknown.join(', ')} is none of ${DIALECT_NAMES.join(', ')}.`);
}

/** An agent ends its machines 30 s after its last sign of life; sooner than that, a second copy could run beside the first. */
const SOONEST_LOSS = parseDuration('35s');

export function lostAfter(text: string): number {
  const ms = durationMs(text);
  if (ms >= SOONEST_LOSS) return ms;
  throw new InvalidArgumentError('It must be at least 35s: a silent node ends its machines after 30s.');
}

function durationMs(text: string): number {
  try {
    const ms = parseDuration(text);
    if (ms < 0) throw new InvalidArgumentError('It must not be negative.');
    return ms;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
