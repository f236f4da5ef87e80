import { type Command, InvalidArgumentError, Option } from 'commander';
import { DIALECT_NAMES, type DialectName } from '#api/groups';
import type { NodeSize } from '#api/launcher-load';
import { parseDuration } from '#platform/base/duration';
import type { CarbonSettings } from '#vm/carbon/settings';
import { type CarbonFlags, carbonContradictions, carbonSettings, withCarbonFlags } from './carbon/flags.ts';
import { CheckedCommand, type Given } from './checked-command.ts';
import { defaultImageOption } from './default-image.ts';
import { durationMs, durationOption } from './duration-option.ts';
import { allowedHostsOption } from './host-names.ts';
import { type ImageFlags, withImageFlags } from './image-flags.ts';
import { type NodeFlags, nodeFlags } from './node-flags.ts';
import { nonEmpty } from './non-empty.ts';
import { portNumber } from './port-number.ts';
import { referenceNodeOption } from './reference-node.ts';
import { type RuntimeFlags, withRuntimeDefaults, withRuntimeFlags } from './runtime-flags.ts';
import { serviceRangeOption } from './service-range-option.ts';
import { verifyImagesOption } from './verify-images.ts';
import { unservedShortName, vmShortNameOption } from './vm-short-name-option.ts';

/** Parsed flags of `vimana up`. */
export interface UpSettings extends NodeFlags, RuntimeFlags, ImageFlags {
  readonly dataDir?: string;
  readonly ephemeral: boolean;
  readonly durability: 'sync' | 'relaxed';
  readonly port: number;
  readonly bindAddress: string;
  readonly allowedHosts: readonly string[];
  readonly serviceClusterIpRange?: string;
  readonly metricsPort: number;
  readonly healthPort: number;
  readonly exporterPort: number;
  readonly kubeconfigOut?: string;
  /** Adds the instance to the user's kubeconfig. */
  readonly mergeKubeconfig: boolean;
  /** Returns when the instance is ready, and leaves it running. */
  readonly detach: boolean;
  readonly dialects: readonly DialectName[];
  /** API group that the short name `vm` means. */
  readonly vmShortName?: string;
  readonly demo?: boolean;
  readonly nodes: number;
  /** Whether a flag describes the nodes. Otherwise they are those of the previous start. */
  readonly nodesGiven: boolean;
  readonly stageDelay: number;
  readonly schedulerConfig?: string;
  readonly vmRolloutStrategy: 'LiveUpdate' | 'Stage';
  readonly nodeLostAfter: number;
  readonly referenceNode: NodeSize;
  /** Downloads images with a checksum and compares them before the first start of a VM. */
  readonly verifyImages: boolean;
  /** Image of pools whose template has none. */
  readonly defaultImage: string;
  readonly carbon: CarbonSettings;
  readonly auditLog?: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/**
 * Builds `vimana up`, which runs the control plane, nodes, scheduler and operator in one process. `start` runs it until
 * it is stopped.
 */
export function upCommand(start: (settings: UpSettings) => Promise<void>): Command {
  const named = nodeFlags(new CheckedCommand('up'), 'nodes').description(
    'run a whole cluster in one process: API server, scheduler, controllers, simulated nodes and operator',
  );
  const up = withListenerFlags(withDataFlags(withRuntimeFlags(named)))
    .option('--kubeconfig-out <file>', 'also write an administrator kubeconfig to this file when ready', nonEmpty)
    .option(
      '--merge-kubeconfig',
      'add a context to the first existing file of KUBECONFIG, or to ~/.kube/config, and make it current',
      false,
    )
    .option('--detach', 'return when everything is ready, and leave it running until vimana down', false)
    .addOption(
      new Option('--dialects <names>', 'API groups to serve, separated by commas')
        .argParser(dialects)
        .default([...DIALECT_NAMES], DIALECT_NAMES.join(',')),
    )
    .addOption(vmShortNameOption())
    .option('--demo', 'create the demo fleet (default for a new data directory)')
    .option('--empty', 'do not create the demo fleet; rejected if the data directory has VMs')
    .addOption(durationOption('--stage-delay <duration>', 'how long a pod takes to start', '0s'))
    .option('--scheduler-config <file>', 'file with a KubeSchedulerConfiguration', nonEmpty)
    .addOption(
      new Option('--vm-rollout-strategy <name>', 'whether spec changes apply to running VMs')
        .choices(['LiveUpdate', 'Stage'])
        .default('LiveUpdate'),
    )
    .addOption(
      durationOption('--node-lost-after <duration>', 'time without heartbeat until a node is lost', '40s').argParser(
        lostAfter,
      ),
    )
    .addOption(referenceNodeOption())
    .addOption(verifyImagesOption())
    .addOption(defaultImageOption().default('marketplace://ubuntu-22.04-lts'));
  return withCarbonFlags(withImageFlags(up))
    .option('--audit-log <file>', 'append one JSON line per request to this file', nonEmpty)
    .addOption(
      new Option('--log-level <level>', 'minimum level to log')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('warn'),
    )
    .refuses(contradictions)
    .action((flags: Flags, command: Command) =>
      start(settingsOf(flags, (name) => command.getOptionValueSource(name) === 'cli')),
    );
}

function withDataFlags(command: CheckedCommand): CheckedCommand {
  return command
    .option(
      '--data-dir <directory>',
      'directory for objects, certificates and keys (default: the data directory of the user)',
      nonEmpty,
    )
    .option(
      '--ephemeral',
      'keep objects in memory; the data directory then contains only certificates and a lock',
      false,
    )
    .addOption(
      new Option(
        '--durability <mode>',
        'sync: respond once a write is on disk; relaxed: once the operating system has it',
      )
        .choices(['sync', 'relaxed'])
        .default('sync'),
    );
}

function withListenerFlags(command: CheckedCommand): CheckedCommand {
  return command
    .option('--port <number>', 'port of the API server; 0 picks free ports for all listeners', portNumber, 6443)
    .option('--bind-address <address>', 'address for all listeners', nonEmpty, '127.0.0.1')
    .addOption(allowedHostsOption())
    .addOption(serviceRangeOption())
    .option('--metrics-port <number>', 'port of /metrics and /explain', portNumber, 8080)
    .option('--health-port <number>', 'port of /healthz and /readyz', portNumber, 8081)
    .option(
      '--exporter-port <number>',
      'port of the exporter, which runs if --dialects includes simulation',
      portNumber,
      8000,
    );
}

type Flags = Omit<UpSettings, 'carbon' | 'nodesGiven'> & CarbonFlags & { readonly empty?: boolean };

/** Flags that describe the nodes. */
const NODE_FLAGS = ['runtime', 'nodes', 'nodeSize', 'nodePrefix', 'zones', 'nodeLabels', 'nodeResources', 'nodeFile'];

function settingsOf({ empty, ...given }: Flags, isGiven: (name: string) => boolean): UpSettings {
  const flags = withRuntimeDefaults(given, isGiven);
  // Without a port, several processes can run side by side on free ports. An explicit port must be the one that is
  // used.
  const listener = (name: 'metricsPort' | 'healthPort' | 'exporterPort') =>
    flags.port === 0 && !isGiven(name) ? 0 : flags[name];
  return {
    ...flags,
    carbon: carbonSettings(flags),
    nodesGiven: NODE_FLAGS.some(isGiven),
    metricsPort: listener('metricsPort'),
    healthPort: listener('healthPort'),
    exporterPort: listener('exporterPort'),
    ...(empty === true ? { demo: false } : {}),
  };
}

/** Returns an error for each combination of flags that contradict each other. */
function contradictions(flags: Flags, given: Given): string[] {
  const { demo, empty, nodes, ephemeral, port, metricsPort, healthPort, exporterPort } = flags;
  const ports = {
    '--port': port,
    '--metrics-port': metricsPort,
    '--health-port': healthPort,
    '--exporter-port': exporterPort,
  };
  const named = Object.entries(ports).filter(([, number]) => number !== 0);
  const shared = named.find(([, number], at) => named.findIndex(([, other]) => other === number) !== at);
  return [
    ...carbonContradictions(flags),
    ...unservedShortName(flags),
    ...(flags.runtime === 'qemu' && given('nodeFile')
      ? ['--runtime cannot be combined with --node-file: set runtime: qemu in its pools.']
      : []),
    ...(given('imageHosts') && !flags.verifyImages && flags.runtime !== 'qemu' && !given('nodeFile')
      ? ['--image-hosts needs --verify-images or --runtime qemu.']
      : []),
    ...(demo === true && empty === true ? ['--demo and --empty contradict each other.'] : []),
    ...(demo === true && !flags.dialects.includes('kubevirt')
      ? ['--demo creates kubevirt.io VMs, but --dialects does not include kubevirt.']
      : []),
    ...(demo === true && nodes === 0 && !given('nodeFile') ? ['--demo needs nodes, but --nodes is 0.'] : []),
    ...(ephemeral && given('durability')
      ? ['--durability cannot be used with --ephemeral, which keeps objects in memory.']
      : []),
    ...(shared === undefined
      ? []
      : [
          `${named
            .filter(([, number]) => number === shared[1])
            .map(([flag]) => flag)
            .join(' and ')} are both ${shared[1]}; each needs its own port.`,
        ]),
  ];
}

export function dialects(text: string): DialectName[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const unknown = names.filter((name) => !(DIALECT_NAMES as readonly string[]).includes(name));
  if (unknown.length === 0) return names as DialectName[];
  const named = unknown.map((name) => (name === '' ? '""' : name)).join(', ');
  throw new InvalidArgumentError(`${named} is not one of ${DIALECT_NAMES.join(', ')}.`);
}

/**
 * A node agent ends its machines 30 s after its last heartbeat. With a shorter time, a second copy could run beside the
 * first.
 */
const MIN_LOST_AFTER_MS = parseDuration('35s');

export function lostAfter(text: string): number {
  const ms = durationMs(text);
  if (ms >= MIN_LOST_AFTER_MS) return ms;
  throw new InvalidArgumentError(
    'It must be at least 35s: a node that cannot renew its lease stops its VMs after 30s.',
  );
}
