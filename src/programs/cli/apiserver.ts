import { type Command, Option } from 'commander';
import { CheckedCommand, type Given } from './checked-command.ts';
import { nonEmpty } from './non-empty.ts';
import { portNumber } from './port-number.ts';
import { serviceRangeOption } from './service-range-option.ts';

/** Parsed flags of `vimana apiserver`. */
export interface ApiServerSettings {
  readonly dataDir?: string;
  readonly port: number;
  readonly bindAddress: string;
  readonly serviceClusterIpRange?: string;
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
    .description('run only the embedded Kubernetes API server')
    .option(
      '--data-dir <directory>',
      'directory for objects, certificates and keys (default: the data directory of the user)',
      nonEmpty,
    )
    .option('--port <number>', 'port to listen on; 0 picks a free one', portNumber, 6443)
    .option('--bind-address <address>', 'address to listen on', nonEmpty, '127.0.0.1')
    .addOption(serviceRangeOption())
    .option('--kubeconfig-out <file>', 'write an administrator kubeconfig to this file when ready', nonEmpty)
    .addOption(new Option('--store <kind>', 'where to store objects').choices(['memory', 'lmdb']).default('lmdb'))
    .addOption(
      new Option(
        '--durability <mode>',
        'sync: respond once a write is on disk; relaxed: once the operating system has it',
      )
        .choices(['sync', 'relaxed'])
        .default('sync'),
    )
    .option(
      '--insecure-http',
      'serve plain HTTP; over loopback, programs of the same user act as administrator without a token',
      false,
    )
    .option('--insecure-remote', 'serve plain HTTP to other hosts too, which need a token', false)
    .option('--controllers', 'run the Kubernetes controllers: garbage collection, namespaces and others', true)
    .option('--no-controllers', 'run only the API server')
    .option('--audit-log <file>', 'append one JSON line per request to this file', nonEmpty)
    .addOption(
      new Option('--log-level <level>', 'minimum level to log')
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
      ? ['--durability cannot be used with --store memory, which keeps objects in memory.']
      : []),
    ...(insecureRemote && !insecureHttp ? ['--insecure-remote needs --insecure-http.'] : []),
  ];
}
