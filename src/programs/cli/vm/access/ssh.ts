import type { Command } from 'commander';
import { UsageError } from '#platform/base/errors';
import { ReportedError } from '../../failure.ts';
import { portNumber } from '../../port-number.ts';
import type { VmDeps } from '../../vm-deps.ts';
import { type GuestTarget, withGuest } from './guest-target.ts';
import { runProgram } from './run-program.ts';
import { hostOf, type SshConnection, scpPath, sshOptions } from './ssh-arguments.ts';

interface SshFlags {
  readonly username: string;
  readonly port: number;
  readonly identityFile?: string;
  readonly knownHosts?: string;
}

/** Adds `vm ssh` and `vm scp`, which run the programs of the system through a port-forward. */
export function addSshCommands(vm: Command, parts: VmDeps): void {
  withSshFlags(vm.command('ssh'))
    .description('log in to a VM with ssh, or run a command in it')
    .argument('<name>', 'name of the VM, or USER@NAME')
    .argument('[command...]', 'command to run; put -- before it')
    .action((given: string, words: string[], flags: SshFlags, command: Command) => {
      const [, user = flags.username, name = given] = /^([^@]+)@(.+)$/.exec(given) ?? [];
      return withGuest(parts, command, name, async (target) => {
        const connection = connectionTo(target, flags, command);
        await run('ssh', [...sshOptions(connection), '-l', user, '--', hostOf(connection), ...words]);
      });
    });
  withSshFlags(vm.command('scp'))
    .description('copy files to or from a VM with scp')
    .argument('<from>', 'local path, or NAME:PATH in a VM')
    .argument('<to>', 'local path, or NAME:PATH in a VM')
    .option('-r, --recursive', 'copy directories')
    .action((from: string, to: string, flags: SshFlags & { recursive?: boolean }, command: Command) => {
      const paths = [scpPath(from), scpPath(to)];
      const [name, another] = paths.flatMap(({ vm: each }) => each ?? []);
      if (name === undefined || another !== undefined) {
        throw new UsageError('one of the paths must be in a VM: NAME:PATH, and the other one on this host');
      }
      return withGuest(parts, command, name, async (target) => {
        const connection = connectionTo(target, flags, command);
        const words = paths.map(({ vm: each, user = flags.username, path }) =>
          each === undefined ? path : `${user}@${hostOf(connection)}:${path}`,
        );
        await run('scp', [...sshOptions(connection), ...(flags.recursive === true ? ['-r'] : []), '--', ...words]);
      });
    });
}

function withSshFlags(command: Command): Command {
  return command
    .option('-l, --username <name>', 'user in the guest', 'root')
    .option('-p, --port <port>', 'port of the SSH server in the guest', portNumber, 22)
    .option('-i, --identity-file <file>', 'private key to log in with')
    .option('--known-hosts <file>', 'file of known host keys (default: that of ssh)');
}

/** Flags by which the user selected a cluster, which the port-forward must repeat. */
const CONNECTION_FLAGS = ['kubeconfig', 'context', 'cluster', 'user', 'server', 'as', 'group'] as const;

function connectionTo(
  { name, namespace }: GuestTarget,
  { port, identityFile, knownHosts }: SshFlags,
  command: Command,
): SshConnection {
  const { parent } = command;
  const given = parent?.optsWithGlobals<Record<string, unknown>>() ?? {};
  if (given['token'] !== undefined) {
    throw new UsageError('--token would show the token to all users of this host', {
      hint: 'Put the token into a kubeconfig, and name that with --kubeconfig.',
    });
  }
  const connection = CONNECTION_FLAGS.flatMap((flag) =>
    typeof given[flag] === 'string' ? [`--${flag}`, given[flag]] : [],
  );
  return {
    program: [process.execPath, ...process.execArgv, process.argv[1] ?? '', 'vimana'],
    connection: [...connection, ...(given['insecureSkipTlsVerify'] === true ? ['--insecure-skip-tls-verify'] : [])],
    name,
    namespace,
    port,
    ...(identityFile === undefined ? {} : { identityFile }),
    ...(knownHosts === undefined ? {} : { knownHosts }),
  };
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const code = await runProgram(program, args);
  // The program has said why.
  if (code !== 0) throw new ReportedError(code);
}
