import { type Command, Option } from 'commander';
import { DIALECT_NAMES, type DialectName } from '#api/groups';
import type { Clock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { CheckedCommand, type Given } from './checked-command.ts';
import { type Connect, withConnection, withConnectionFlags } from './connection.ts';
import { durationOption } from './duration-option.ts';
import type { Io } from './io.ts';
import { type NodeFlags, nodeFlags } from './node-flags.ts';
import { dialects } from './up.ts';
import { unservedShortName, vmShortNameOption } from './vm-short-name-option.ts';

/** Parsed flags of `vimana uninstall`. */
export interface UninstallSettings {
  readonly dialects: readonly DialectName[];
  /** Deletes the objects whose CRDs are deleted. */
  readonly withObjects: boolean;
  readonly dryRun: boolean;
  readonly timeout: number;
}

/** Parsed flags of `vimana install`. */
export interface InstallSettings extends NodeFlags {
  readonly dialects: readonly DialectName[];
  /** API group that the short name `vm` means. */
  readonly vmShortName?: string;
  readonly nodes: number;
  readonly examples: boolean;
  readonly dryRun: boolean;
  /** Takes over fields that another manager has set to other values. */
  readonly forceConflicts: boolean;
  readonly wait: boolean;
  readonly timeout: number;
}

/** Cluster to install on, and the output for messages. */
export interface InstallDeps {
  readonly io: Io;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly client: Client;
  /** Namespace of the examples. */
  readonly namespace: string;
}

export interface InstallStarters {
  readonly install: (settings: InstallSettings, parts: InstallDeps) => Promise<void>;
  readonly uninstall: (settings: UninstallSettings, parts: InstallDeps) => Promise<void>;
}

interface CommandDeps extends Pick<InstallDeps, 'io' | 'clock' | 'signal'> {
  readonly connect: Connect;
  readonly starters: InstallStarters;
}

/**
 * Builds `vimana install` and `vimana uninstall`, which manage what a cluster must hold before an operator can run for
 * it.
 */
export function installCommands({ connect, starters, ...parts }: CommandDeps): Command[] {
  const install = nodeFlags(withConnectionFlags(new CheckedCommand('install')), 'nodes', 0)
    .description('install CRDs and RBAC into a cluster, and optionally simulated nodes and examples')
    .addOption(dialectsOption('API groups to install, separated by commas'))
    .addOption(
      vmShortNameOption('the group that has it, else kubevirt.io if it is installed, else the first of --dialects'),
    )
    .option('--examples', 'create example VMs in the namespace', false)
    .option('--dry-run', 'print what would change, using a server-side dry run', false)
    .option('--force-conflicts', 'take over fields that other field managers own', false)
    .option('--wait', 'wait until the kinds are served', true)
    .option('--no-wait', 'do not wait until the kinds are served')
    .addOption(timeoutOption())
    .refuses(contradictions)
    .action((settings: InstallSettings, command: Command) =>
      withConnection(connect, command, (connection) => starters.install(settings, { ...parts, ...connection })),
    );
  const uninstall = withConnectionFlags(new CheckedCommand('uninstall'))
    .description('delete what install created; fails if there are objects of these kinds, unless --with-objects is set')
    .addOption(dialectsOption('API groups to uninstall, separated by commas'))
    .option('--with-objects', 'also delete all objects of these kinds, in every namespace', false)
    .option('--dry-run', 'print what would be deleted, and change nothing', false)
    .addOption(timeoutOption())
    .action((settings: UninstallSettings, command: Command) =>
      withConnection(connect, command, (connection) => starters.uninstall(settings, { ...parts, ...connection })),
    );
  return [install, uninstall];
}

const dialectsOption = (description: string) =>
  new Option('--dialects <names>', description)
    .argParser(dialects)
    .default([...DIALECT_NAMES], DIALECT_NAMES.join(','));

const timeoutOption = () => durationOption('--timeout <duration>', 'maximum time to wait', '2m');

/** Returns an error for each combination of flags that contradict each other. */
function contradictions(settings: InstallSettings, given: Given): string[] {
  const { examples, wait } = settings;
  const shapes = { nodeSize: '--node-size', nodePrefix: '--node-prefix', zones: '--zones' };
  const more = { nodeLabels: '--node-labels', nodeResources: '--node-resources' };
  const idle = Object.entries({ ...shapes, ...more }).flatMap(([name, flag]) => (given(name) ? [flag] : []));
  return [
    ...unservedShortName(settings),
    ...(examples && !wait ? ['--examples cannot be used with --no-wait: examples need kinds that are served.'] : []),
    ...(idle.length > 0 && !given('nodes') && !given('nodeFile') ? [`${idle.join(', ')} need --nodes.`] : []),
  ];
}
