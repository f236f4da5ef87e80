import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Process on this host. */
export interface PortHolder {
  readonly pid: number;
  /** Truncated command line of the process. */
  readonly command: string;
}

const LISTENING = '0A';
const MAX_COMMAND_LENGTH = 80;

/**
 * Returns the process that listens on a port, if the system reports it. Linux does so for our own processes, and to
 * root for all.
 */
export function holderOf(port: number, proc = '/proc'): PortHolder | undefined {
  try {
    const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningInodes(`${proc}/net/${table}`, port)));
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

/** Returns the command that prints the process on a port: macOS and BSD have no `ss`. */
export function listenersOf(port: number, platform = process.platform): string {
  return platform === 'linux' ? `ss -ltnp 'sport = :${port}'` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
}

/** Returns the inodes of the sockets that listen on a port, from a kernel table. */
function listeningInodes(table: string, port: number): string[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, local = '', , state, , , , , , inode = '']) =>
      local.endsWith(end) && state === LISTENING ? [`socket:[${inode}]`] : [],
    );
}

function holds(directory: string, sockets: ReadonlySet<string>): boolean {
  try {
    return readdirSync(directory).some((fd) => sockets.has(linkOf(`${directory}/${fd}`)));
  } catch {
    return false;
  }
}

/** Reads a link. The file may be closed after it was listed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
