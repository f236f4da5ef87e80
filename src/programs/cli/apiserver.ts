import { type Command, Option } from 'commander';
import { CheckedCommand, type Given } from './checked-command.ts';
import { nonEmpty } from './non-empty.ts';
import { portNumber } from './port-number.ts';

/** Parsed flags of `vimana apiserver`. */
export interface ApiServerSettings {
  readonly dataDir?: string;
  readonly port: number;
  readonly bindAddress: string;
  readonly kubeconfigOut?: string;
  readonly store: 'memory' | 'lmdb';
  readonly durability: 'sync' | 'relaxed';
  readonly insecureHttp: boolean;
  readonly insecureRemote: boolean;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly auditLog?: string;
  readonly controllers: boolean;
}

/**
 * Builds `vimana apiserver`, which runs only the embedded control plane's API server. `start` runs it until it is
 * stopped.
 */
export function apiServerCommand(start: (settings: ApiServerSettings) => Promise<void>): Command {
  return new CheckedCommand('apiserver')
    .description('run the embedded Kubernetes API server alone')
    .option(
      '--data-dir <folder>',
      'where objects, certificates and keys are kept (default: the user data folder)',
      nonEmpty,
    )
    .option('--port <number>', 'port to listen on; 0 takes a free one', portNumber, 6443)
    .option('--bind-address <address>', 'address to listen on', nonEmpty, '127.0.0.1')
    .option('--kubeconfig-out <file>', 'write a kubeconfig for the administrator there, once ready', nonEmpty)
    .addOption(new Option('--store <kind>', 'where objects live').choices(['memory', 'lmdb']).default('lmdb'))
    .addOption(
      new Option('--durability <mode>', 'sync answers a write when it is on disk; relaxed when the system has it')
        .choices(['sync', 'relaxed'])
        .default('sync'),
    )
    .option(
      '--insecure-http',
      'serve plain HTTP; on loopback, programs of the same user without a token are the administrator',
      false,
    )
    .option('--insecure-remote', 'serve plain HTTP to other machines too, by token only', false)
    .option('--controllers', 'run the controllers of Kubernetes: garbage collection, namespaces and the like', true)
    .option('--no-controllers', 'run the API server alone')
    .option('--audit-log <file>', 'append one JSON line for every request', nonEmpty)
    .addOption(
      new Option('--log-level <level>', 'what to log')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .refuses(contradictions)
    .action(start);
}

/** Returns an error for each combination of flags that contradict each other. */
function contradictions({ store, insecureHttp, insecureRemote }: ApiServerSettings, given: Given): string[] {
  return [
    ...(store === 'memory' && given('durability')
      ? ['--durability is about the disk, and --store memory keeps objects in memory.']
      : []),
    ...(insecureRemote && !insecureHttp ? ['--insecure-remote says nothing without --insecure-http.'] : []),
  ];
}
