import { type Command, Option } from 'commander';
import type { NodeSize } from '#api/launcher-load';
import type { AccessFlags } from '#platform/kube/kubeconfig/load';
import { CheckedCommand } from './checked-command.ts';
import { allowedHostsOption } from './host-names.ts';
import { nonEmpty } from './non-empty.ts';
import { portNumber } from './port-number.ts';
import { referenceNodeOption } from './reference-node.ts';

/** Parsed flags of `vimana exporter`. */
export interface ExporterFlags {
  readonly access: AccessFlags;
  /** Scenario file, optionally followed by # and the name of one of its scenarios. */
  readonly scenario?: string;
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  /** File with the token that clients may present. By default each start creates a new one. */
  readonly tokenFile?: string;
  readonly allNamespaces: boolean;
  readonly referenceNode: NodeSize;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly logFormat: 'json' | 'text';
}

type Parsed = Omit<ExporterFlags, 'access'> & {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
};

/**
 * Builds `vimana exporter`, which serves the metrics of a simulated fleet and the HTTP API that drives it. `start` runs
 * it until it is stopped.
 */
export function exporterCommand(start: (flags: ExporterFlags) => Promise<void>): Command {
  return new CheckedCommand('exporter')
    .description('export VM usage to Prometheus, and load scenarios and migrate VMs over HTTP')
    .option(
      '--scenario <file>',
      'load this scenario at startup; FILE#NAME selects one of several (default: the first)',
      nonEmpty,
    )
    .option('--port <number>', 'port to listen on; 0 picks a free one', portNumber, 8000)
    .option('--host <address>', 'address to listen on', nonEmpty, '127.0.0.1')
    .addOption(allowedHostsOption())
    .option(
      '--token-file <file>',
      'file with the token for clients that send POST requests, created if missing (default: a new token at each start)',
      nonEmpty,
    )
    .option('-n, --namespace <name>', 'namespace of the VMs (default: that of the context)', nonEmpty)
    .option('-A, --all-namespaces', 'count the VMs of all namespaces; scenarios are still loaded into one', false)
    .option(
      '--kubeconfig <file>',
      'kubeconfig to use (default: KUBECONFIG, then ~/.kube/config, then the ServiceAccount of the pod)',
      nonEmpty,
    )
    .option('--context <name>', 'context of the kubeconfig', nonEmpty)
    .addOption(referenceNodeOption())
    .addOption(
      new Option('--log-level <level>', 'minimum level to log')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .addOption(new Option('--log-format <format>', 'log format').choices(['json', 'text']).default('text'))
    .action((parsed: Parsed) => start(flagsOf(parsed)));
}

function flagsOf({ kubeconfig, context, namespace, ...flags }: Parsed): ExporterFlags {
  const access = {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  return { ...flags, access };
}
