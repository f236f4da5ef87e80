import type { Command } from 'commander';
import type { Clock } from '#platform/base/clock';
import { type Random, systemRandom } from '#platform/base/random';
import { type ApiServerSettings, apiServerCommand } from './apiserver.ts';
import { type BackupSettings, backupCommand } from './backup.ts';
import { carbonCommand } from './carbon/command.ts';
import { CheckedCommand } from './checked-command.ts';
import { completeCommand, completionCommand } from './completion/command.ts';
import type { Connect, KubeconfigNames } from './connection.ts';
import { crdsCommand } from './crds.ts';
import { explainCommand } from './explain.ts';
import { type ExporterFlags, exporterCommand } from './exporter.ts';
import { helpCommand, unknownCommand, versionCommand } from './help/command.ts';
import { inGroups } from './help/groups.ts';
import { withHelp } from './help/with-help.ts';
import { type ImageStarters, imageCommand } from './image.ts';
import { type InstallStarters, installCommands } from './install.ts';
import type { Io } from './io.ts';
import { type NodesSettings, nodesCommand } from './nodes.ts';
import { type OperatorFlags, operatorCommand } from './operator.ts';
import { overview } from './overview.ts';
import { poolCommand } from './pool/command.ts';
import { type FindExporter, rebalanceCommand } from './rebalance/command.ts';
import { type RestoreSettings, restoreCommand } from './restore.ts';
import { type RunningStarters, runningCommands } from './running.ts';
import { type SimulateSettings, simulateCommand } from './simulate.ts';
import { snapshotCommand } from './snapshot/command.ts';
import { templateCommand } from './template/command.ts';
import { type TraceSettings, traceCommand } from './trace.ts';
import { type UpSettings, upCommand } from './up.ts';
import { validateCommand } from './validate.ts';
import { vmCommand } from './vm/command.ts';

/** Functions that start a long-running program, or connect to one. The composition roots implement them. */
export interface Starters extends RunningStarters, InstallStarters {
  readonly apiserver: (settings: ApiServerSettings) => Promise<void>;
  readonly up: (settings: UpSettings) => Promise<void>;
  readonly backup: (settings: BackupSettings) => Promise<void>;
  readonly image: ImageStarters;
  readonly restore: (settings: RestoreSettings) => Promise<void>;
  readonly operator: (flags: OperatorFlags) => Promise<void>;
  readonly exporter: (flags: ExporterFlags) => Promise<void>;
  readonly simulate: (settings: SimulateSettings) => Promise<void>;
  readonly importTrace: (settings: TraceSettings) => Promise<void>;
  readonly nodes: (settings: NodesSettings) => Promise<string>;
  readonly connect: Connect;
  readonly kubeconfigNames: KubeconfigNames;
  readonly findExporter: FindExporter;
}

export interface ProgramDeps {
  readonly io: Io;
  readonly version: string;
  readonly clock: Clock;
  /** Aborted when the user interrupts a long-running command. */
  readonly signal: AbortSignal;
  /** Source of generated names. Defaults to the random source of the system. */
  readonly random?: Random;
  /** Makes Ctrl-C abort the signal instead of ending the program; a second one ends it. Defaults to `signal`. */
  readonly interrupted?: () => AbortSignal;
  readonly starters: Starters;
}

/** Builds the whole command line. It throws errors, and never exits the process. */
export function vimanaProgram({
  io,
  version,
  clock,
  signal,
  random = systemRandom(),
  interrupted = () => signal,
  starters,
}: ProgramDeps): Command {
  const program = new CheckedCommand('vimana')
    .description('Run virtual machines as Kubernetes resources.')
    .version(version)
    .allowExcessArguments()
    .action((_options, command: Command) => {
      const [unknown] = command.args;
      if (unknown === undefined) io.out(overview());
      else command.error(unknownCommand(command, command.args));
    });
  const installing = installCommands({ io, clock, signal, connect: starters.connect, starters });
  const machines = { io, clock, signal, random, connect: starters.connect };
  const commands = inGroups([
    upCommand(starters.up),
    ...runningCommands(starters),
    ...installing,
    imageCommand(starters.image),
    backupCommand(starters.backup),
    restoreCommand(starters.restore),
    vmCommand(machines),
    snapshotCommand(machines),
    poolCommand(machines),
    templateCommand(machines),
    carbonCommand({ io, clock, signal, connect: starters.connect }),
    explainCommand(io, starters.connect),
    nodesCommand(io, starters.nodes),
    rebalanceCommand({ io, clock, interrupted, findExporter: starters.findExporter }),
    simulateCommand(io, starters.simulate),
    traceCommand(starters.importTrace),
    validateCommand(io),
    crdsCommand(io),
    exporterCommand(starters.exporter),
    operatorCommand(starters.operator),
    apiServerCommand(starters.apiserver),
    completionCommand(io),
    helpCommand(),
    versionCommand(io, version),
  ]);
  for (const command of commands) program.addCommand(command);
  program.addCommand(completeCommand(io, { clock, ...starters }), { hidden: true });
  withHelp(program, io);
  return program;
}

/** Returns a command and all its descendants. */
export function withDescendants(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withDescendants)];
}
