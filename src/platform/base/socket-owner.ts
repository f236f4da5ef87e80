import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { type IpAddress, tryParseIp } from './ip.ts';
import { isLoopbackAddress, withoutCarrier } from './special-address.ts';

/** The two ends of an accepted connection. */
export interface SocketEnds {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

/** Whether the kernel reveals which user is at the other end of a connection. */
export const OWNERS_ARE_KNOWN = process.platform === 'linux';

const TABLES = ['net/tcp', 'net/tcp6'];
const ESTABLISHED = '01';

/**
 * Reports whether the program at the other end of a connection is on this host and runs as the user of this process.
 * Only Linux reveals the owner of the other end; elsewhere it counts as another user's.
 */
export async function isOwnProgram(ends: SocketEnds, proc = '/proc', own = process.getuid?.()): Promise<boolean> {
  if (own === undefined || !isOnLoopback(ends)) return false;
  try {
    const owners = await Promise.all(TABLES.map(async (table) => clientUid(await tableAt(`${proc}/${table}`), ends)));
    const owner = owners.find((uid) => uid !== undefined);
    return owner === own && !(await isStandIn(own, proc));
  } catch {
    return false;
  }
}

function isOnLoopback({ remoteAddress = '', localAddress = '' }: SocketEnds): boolean {
  return [remoteAddress, localAddress].every((text) => {
    const address = tryParseIp(text);
    return address !== undefined && isLoopbackAddress(address);
  });
}

/** Reads a table, or nothing if it is missing: a kernel without IPv6 has no table for it. */
async function tableAt(path: string): Promise<string> {
  return await readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
}

/** Reports whether a uid stands for all users without a number in this user namespace, so that it identifies nobody. */
async function isStandIn(uid: number, proc: string): Promise<boolean> {
  const standIn = Number(await readFile(`${proc}/sys/kernel/overflowuid`, 'latin1'));
  if (uid !== standIn) return false;
  const map = await readFile(`${proc}/self/uid_map`, 'latin1');
  return !/^\s*0\s+0\s+4294967295\s*$/.test(map);
}

/**
 * Returns the owner of the client's end of a connection from a table of the kernel. Only an end that is open and
 * belongs to a process counts, because the kernel shows a closed one as root's.
 */
export function clientUid(table: string, ends: SocketEnds, order: 'LE' | 'BE' = endianness()): number | undefined {
  const client = spellings(ends.remoteAddress, ends.remotePort, order);
  const server = spellings(ends.localAddress, ends.localPort, order);
  for (const [form, from] of client.entries()) {
    const words = ` ${from} ${server[form]} ${ESTABLISHED} `;
    const at = table.indexOf(words);
    if (at < 0) continue;
    const [rest = ''] = table.slice(at + words.length).split('\n', 1);
    const [, , , uid = '', , inode = '0'] = rest.trim().split(/\s+/);
    return inode !== '0' && /^\d+$/.test(uid) ? Number(uid) : undefined;
  }
  return undefined;
}

/**
 * Returns the forms in which the tables may print an end: as an IPv4 address, and as the IPv6 address mapped from it.
 */
function spellings(text = '', port = -1, order: 'LE' | 'BE'): string[] {
  const address = tryParseIp(text);
  if (address === undefined) return [];
  const plain = withoutCarrier(address);
  const mapped: IpAddress = { family: 6, value: (0xffffn << 32n) | plain.value };
  const forms = plain.family === 4 ? [plain, mapped] : [plain];
  const end = port.toString(16).toUpperCase().padStart(4, '0');
  return forms.map((form) => `${hexOf(form, order)}:${end}`);
}

/** Formats 32-bit words as they lie in memory, each printed as a number of this processor. */
function hexOf({ family, value }: IpAddress, order: 'LE' | 'BE'): string {
  const digits = value
    .toString(16)
    .toUpperCase()
    .padStart(family === 4 ? 8 : 32, '0');
  const bytes = digits.match(/../g) ?? [];
  if (order === 'BE') return digits;
  return bytes.map((_, i) => bytes[(i & ~3) + 3 - (i & 3)]).join('');
}
