import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { VimanaError } from '#platform/base/errors';
import type { QemuHost } from '../command/qemu-host.ts';
import { QmpClient } from '../qmp/qmp-client.ts';

const BINARY = 'qemu-system-x86_64';
/** Programs that the driver needs beside QEMU, with the Debian packages that contain them. */
const PROGRAMS: Readonly<Record<string, string>> = {
  [BINARY]: 'qemu-system-x86',
  'qemu-img': 'qemu-utils',
  setpriv: 'util-linux',
  flock: 'util-linux',
  prlimit: 'util-linux',
  bwrap: 'bubblewrap',
  xz: 'xz-utils',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  ip: 'iproute2',
  perl: 'perl-base',
};

/** Commands of QMP that the driver needs, which old versions of QEMU lack. */
const COMMANDS = ['query-status', 'query-uuid', 'send-key', 'set-action', 'system_powerdown', 'human-monitor-command'];

/** QEMU of a host before it is known whether KVM can be used. */
export interface FoundQemu extends QemuHost {
  readonly version: string;
}

/** Finds QEMU and reads what it can do. Throws one error that names everything that is missing. */
export async function probeHost(clock: Clock, path: string): Promise<FoundQemu> {
  const found = new Map<string, string>();
  for (const program of Object.keys(PROGRAMS)) {
    const file = await findProgram(program, path);
    if (file !== undefined) found.set(program, file);
  }
  const missing = Object.keys(PROGRAMS).filter((program) => !found.has(program));
  if (missing.length > 0) throw missingPrograms(missing);
  const binary = found.get(BINARY) ?? BINARY;
  const { machineTypes, version, commands } = await readQemu(binary, clock);
  const lacking = COMMANDS.filter((command) => !commands.has(command));
  if (lacking.length > 0) {
    throw new VimanaError('QEMU_TOO_OLD', `QEMU ${version} lacks the commands ${lacking.join(', ')}`, {
      hint: 'Install QEMU 7.2 or later.',
    });
  }
  return { binary, version, accelerator: 'tcg', machineTypes };
}

function missingPrograms(missing: readonly string[]): VimanaError {
  const packages = [...new Set(missing.map((program) => PROGRAMS[program]))].join(' ');
  return new VimanaError('QEMU_MISSING', `this host cannot run real VMs: ${missing.join(', ')} not found`, {
    hint: `Install the packages: apt-get install ${packages}`,
  });
}

async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const directory of path.split(delimiter).filter((each) => each !== '')) {
    const file = join(directory, name);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

interface SchemaEntry {
  readonly name: string;
  readonly 'meta-type': string;
}

interface MachineInfo {
  readonly name: string;
  readonly alias?: string;
}

interface QemuDescription {
  /** Versioned machine types by alias and by name, so that a guest keeps its hardware when QEMU changes. */
  readonly machineTypes: ReadonlyMap<string, string>;
  readonly version: string;
  /** Names of all commands that QMP offers. */
  readonly commands: ReadonlySet<string>;
}

/** Starts QEMU without a machine, and reads what it offers. */
async function readQemu(binary: string, clock: Clock): Promise<QemuDescription> {
  const args = ['-machine', 'none', '-nodefaults', '-no-user-config', '-display', 'none', '-qmp', 'stdio'];
  const child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const qmp = await QmpClient.open({ readable: child.stdout, writable: child.stdin }, { clock });
  try {
    const machines = await qmp.execute<readonly MachineInfo[]>('query-machines');
    const names = machines.flatMap(({ name, alias }) => [
      [name, name] as const,
      ...(alias === undefined ? [] : [[alias, name] as const]),
    ]);
    const schema = await qmp.execute<readonly SchemaEntry[]>('query-qmp-schema');
    const { qemu } = await qmp.execute<{ qemu: Readonly<Record<'major' | 'minor' | 'micro', number>> }>(
      'query-version',
    );
    return {
      machineTypes: new Map(names),
      version: `${qemu.major}.${qemu.minor}.${qemu.micro}`,
      commands: new Set(schema.flatMap(({ name, 'meta-type': type }) => (type === 'command' ? [name] : []))),
    };
  } finally {
    await qmp.execute('quit').catch(() => undefined);
    qmp.close();
    child.kill();
    await exited;
  }
}
