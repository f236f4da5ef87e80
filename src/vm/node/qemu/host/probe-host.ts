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

/** Finds QEMU and reads what it can do. Throws one error that names everything that is missing. */
export async function probeHost(clock: Clock, path: string): Promise<QemuHost> {
  const found = new Map<string, string>();
  for (const program of Object.keys(PROGRAMS)) {
    const file = await findProgram(program, path);
    if (file !== undefined) found.set(program, file);
  }
  const missing = Object.keys(PROGRAMS).filter((program) => !found.has(program));
  if (missing.length > 0) throw missingPrograms(missing);
  const binary = found.get(BINARY) ?? BINARY;
  return { binary, accelerator: 'tcg', machineTypes: await readMachineTypes(binary, clock) };
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

interface MachineInfo {
  readonly name: string;
  readonly alias?: string;
}

/** Returns the versioned machine types by alias and by name, so that a guest keeps its hardware when QEMU changes. */
async function readMachineTypes(binary: string, clock: Clock): Promise<ReadonlyMap<string, string>> {
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
    return new Map(names);
  } finally {
    await qmp.execute('quit').catch(() => undefined);
    qmp.close();
    child.kill();
    await exited;
  }
}
