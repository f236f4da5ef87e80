import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process of this machine. */
export interface PortHolder {
  readonly pid: number;
  /** Its command line, cut short. */
  readonly command: string;
}

const LISTENING = '0A';
const MAX_COMMAND_LENGTH = 80;

/** Who listens on a port, where the system tells us: Linux does of our own processes, and root of all. */
export function holderOf(port: number, proc = '/proc'): PortHolder | undefined {
  try {
    const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listening(`${proc}/net/${table}`, port)));
    if (sockets.size === 0) return undefined;
    const pid = readdirSync(proc).find((name) => /^\d+$/.test(name) && holds(`${proc}/${name}/fd`, sockets));
    if (pid === undefined) return undefined;
    const words = readFileSync(`${proc}/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    const command = words.length > MAX_COMMAND_LENGTH ? `${words.slice(0, MAX_COMMAND_LENGTH)}...` : words;
    return { pid: Number(pid), command };
  } catch {
    return undefined;
  }
}

/** The inodes of the sockets that listen on a port, from a table of the kernel. */
function listening(table: string, port: number): string[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, local = '', , state, , , , , , inode = '']) =>
      local.endsWith(end) && state === LISTENING ? [`socket:[${inode}]`] : [],
    );
}

function holds(folder: string, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(folder).some((fd) => sockets.has(linkOf(`${folder}/${fd}`)));
  } catch {
    return false;
  }
}

/** A file may be closed between the two looks. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
