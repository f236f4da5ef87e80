import { type Command, InvalidArgumentError, Option } from 'commander';
import { DIALECT_NAMES, type DialectName } from '#api/groups';
import type { NodeSize } from '#api/launcher-load';
import { jsonEqual } from '#platform/base/json-equal';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import type { AccessFlags } from '#platform/kube/kubeconfig/load';
import type { CarbonSettings } from '#vm/carbon/settings';
import { type BindAddress, bindAddress } from './bind-address.ts';
import { type CarbonFlags, carbonContradictions, carbonSettings, withCarbonFlags } from './carbon/flags.ts';
import { CheckedCommand, type Given } from './checked-command.ts';
import { defaultImageOption } from './default-image.ts';
import { allowedHostsOption, imageHostsOption } from './host-names.ts';
import { nonEmpty } from './non-empty.ts';
import { portNumber } from './port-number.ts';
import { referenceNodeOption } from './reference-node.ts';
import { dialects, lostAfter } from './up.ts';
import { verifyImagesOption } from './verify-images.ts';

/** Parsed flags of `vimana operator`. */
export interface OperatorFlags {
  readonly access: AccessFlags;
  readonly leaderElect: boolean;
  /** Name of the lease. Like the name of the webhooks, it defaults to that of the operator's ServiceAccount. */
  readonly leaderElectionId?: string;
  readonly leaderElectionNamespace?: string;
  readonly metrics: BindAddress | 'nowhere';
  readonly health: BindAddress | 'nowhere';
  /** Host names of its listeners in addition to those of its Services. */
  readonly allowedHosts: readonly string[];
  /** Port of webhooks and subresources. 0 serves neither. */
  readonly webhookPort: number;
  readonly webhookName?: string;
  readonly webhookCertDir?: string;
  /** Namespace to watch. Empty means all. */
  readonly watchNamespace: string;
  readonly workers?: number;
  readonly dialects: readonly DialectName[];
  readonly instances: boolean;
  /** Serves subresources.kubevirt.io. Requires instances. */
  readonly subresources: boolean;
  /** Serves custom.metrics.k8s.io. */
  readonly customMetrics: boolean;
  readonly vmRolloutStrategy: 'LiveUpdate' | 'Stage';
  readonly nodeLostAfter: number;
  readonly referenceNode: NodeSize;
  /** Checks with web servers whether the images of templates exist. */
  readonly checkImages: boolean;
  /** Downloads images with a checksum and compares them before the first start of a VM. */
  readonly verifyImages: boolean;
  /** Image servers that may be at addresses that are not public. */
  readonly imageHosts: readonly string[];
  /** Image of pools whose template has none. */
  readonly defaultImage?: string;
  readonly carbon: CarbonSettings;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly logFormat: 'json' | 'text';
}

const OWN_NAME = '(default: that of the ServiceAccount, or vimana-operator)';

type Parsed = Omit<OperatorFlags, 'access' | 'metrics' | 'health' | 'carbon'> &
  CarbonFlags & {
    readonly kubeconfig?: string;
    readonly context?: string;
    readonly metricsBindAddr: BindAddress | 'nowhere';
    readonly metricsBindAddress?: BindAddress | 'nowhere';
    readonly healthProbeBindAddr: BindAddress | 'nowhere';
    readonly healthProbeBindAddress?: BindAddress | 'nowhere';
  };

/**
 * Builds `vimana operator`, which runs the controllers, webhooks and subresources for a cluster. `start` runs it until
 * it is stopped.
 */
export function operatorCommand(start: (flags: OperatorFlags) => Promise<void>): Command {
  const named = new CheckedCommand('operator').description('run the operator, inside a Kubernetes cluster or outside');
  const operator = withListenerFlags(withLeaderFlags(named))
    .addOption(
      new Option('--watch-namespace <name>', 'manage only this namespace (default: all)')
        .env('WATCH_NAMESPACE')
        .argParser(oneNamespace)
        .default(''),
    )
    .option('--workers <count>', 'objects that each controller reconciles concurrently', workers)
    .addOption(
      new Option('--dialects <names>', 'API groups to manage, separated by commas')
        .argParser(dialects)
        .default([...DIALECT_NAMES], DIALECT_NAMES.join(',')),
    )
    .option(
      '--instances',
      'manage VirtualMachineInstances and migrations too; exactly one operator of a cluster must',
      true,
    )
    .option('--no-instances', 'leave VirtualMachineInstances and migrations to another operator')
    .option('--no-subresources', 'do not serve subresources.kubevirt.io')
    .option('--custom-metrics', 'serve the load of nodes and VMs as custom.metrics.k8s.io', false)
    .addOption(
      new Option('--vm-rollout-strategy <name>', 'whether spec changes apply to running VMs')
        .choices(['LiveUpdate', 'Stage'])
        .default('LiveUpdate'),
    )
    .addOption(
      new Option('--node-lost-after <duration>', 'time without heartbeat until a node is lost')
        .argParser(lostAfter)
        .default(lostAfter('40s'), '40s'),
    )
    .addOption(referenceNodeOption())
    .option('--check-images', 'check that the images of templates exist on their web servers', false)
    .addOption(verifyImagesOption())
    .addOption(imageHostsOption())
    .addOption(defaultImageOption());
  return withCarbonFlags(operator)
    .addOption(
      new Option('--log-level <level>', 'minimum level to log')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .addOption(new Option('--log-format <format>', 'log format').choices(['json', 'text']).default('json'))
    .refuses(contradictions)
    .action((parsed: Parsed) => start(flagsOf(parsed)));
}

function withLeaderFlags(command: CheckedCommand): CheckedCommand {
  return command
    .option(
      '--kubeconfig <file>',
      'kubeconfig to use (default: KUBECONFIG, then ~/.kube/config, then the ServiceAccount of the pod)',
      nonEmpty,
    )
    .option('--context <name>', 'context of the kubeconfig', nonEmpty)
    .option('--leader-elect', 'use leader election, so that only one replica acts', false)
    .option('--leader-election-id <name>', `name of the lease ${OWN_NAME}`, objectName)
    .option(
      '--leader-election-namespace <name>',
      'namespace of the lease (default: that of the pod or context)',
      namespaceName,
    );
}

function withListenerFlags(command: CheckedCommand): CheckedCommand {
  return command
    .addOption(
      new Option('--metrics-bind-addr <address>', 'address of /metrics; 0 disables it')
        .argParser(bindAddress)
        .default({ port: 8080 }, ':8080'),
    )
    .addOption(new Option('--metrics-bind-address <address>', 'alias of --metrics-bind-addr').argParser(bindAddress))
    .addOption(
      new Option('--health-probe-bind-addr <address>', 'address of /healthz and /readyz; 0 disables them')
        .argParser(bindAddress)
        .default({ port: 8081 }, ':8081'),
    )
    .addOption(
      new Option('--health-probe-bind-address <address>', 'alias of --health-probe-bind-addr').argParser(bindAddress),
    )
    .addOption(allowedHostsOption())
    .option('--webhook-port <number>', 'port of webhooks and subresources; 0 disables both', portNumber, 9443)
    .option(
      '--webhook-name <name>',
      `name of the webhook configurations, and prefix of the Service NAME-webhook and the Secret NAME-webhook-cert ${OWN_NAME}`,
      objectName,
    )
    .option(
      '--webhook-cert-dir <directory>',
      'directory with tls.crt and tls.key (default: the operator issues its own certificate)',
      nonEmpty,
    );
}

function flagsOf(parsed: Parsed): OperatorFlags {
  const { kubeconfig, context, metricsBindAddr, metricsBindAddress, ...rest } = parsed;
  const { healthProbeBindAddr, healthProbeBindAddress, ...flags } = rest;
  return {
    ...flags,
    carbon: carbonSettings(flags),
    access: {
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
    },
    metrics: metricsBindAddress ?? metricsBindAddr,
    health: healthProbeBindAddress ?? healthProbeBindAddr,
  };
}

/** Returns an error for each combination of flags that contradict each other. */
function contradictions(parsed: Parsed, given: Given): string[] {
  const { metrics, health, webhookPort } = flagsOf(parsed);
  const spellings = ['metricsBindAddr', 'healthProbeBindAddr'] as const;
  const twice = spellings.filter(
    (name) => given(name) && given(`${name}ess`) && !jsonEqual(parsed[name], parsed[`${name}ess`]),
  );
  const ports = {
    '--metrics-bind-addr': metrics === 'nowhere' ? 0 : metrics.port,
    '--health-probe-bind-addr': health === 'nowhere' ? 0 : health.port,
    '--webhook-port': webhookPort,
  };
  const taken = Object.entries(ports).filter(([, port]) => port !== 0);
  const shared = taken.flatMap(([flag, port], at) =>
    taken.slice(0, at).flatMap(([other, its]) => (its === port ? [`${flag} and ${other} both use port ${port}.`] : [])),
  );
  return [
    ...carbonContradictions(parsed),
    ...(given('imageHosts') && !parsed.verifyImages && !parsed.checkImages
      ? ['--image-hosts needs --check-images or --verify-images.']
      : []),
    ...twice.map((name) => `--${toFlagName(name)} and --${toFlagName(name)}ess are different addresses.`),
    ...shared,
    ...(webhookPort === 0 && given('webhookCertDir')
      ? ['--webhook-cert-dir cannot be used with --webhook-port 0.']
      : []),
    ...(parsed.leaderElect
      ? []
      : (['leaderElectionId', 'leaderElectionNamespace'] as const)
          .filter(given)
          .map((name) => `--${toFlagName(name)} needs --leader-elect.`)),
  ];
}

const toFlagName = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function objectName(text: string): string {
  const [problem] = dns1123SubdomainProblems(text);
  if (problem !== undefined) throw new InvalidArgumentError(`It must be a valid name: ${problem}.`);
  return text;
}

function namespaceName(text: string): string {
  const [problem] = dns1123LabelProblems(text);
  if (problem !== undefined) throw new InvalidArgumentError(`It must be a valid namespace: ${problem}.`);
  return text;
}

function oneNamespace(text: string): string {
  const name = text.trim();
  if (name === '' || dns1123LabelProblems(name).length === 0) return name;
  throw new InvalidArgumentError('It must be one namespace, or empty for all namespaces.');
}

function workers(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 1024) return count;
  throw new InvalidArgumentError('It must be a whole number from 1 to 1024.');
}
