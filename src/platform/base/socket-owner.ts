import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { type IpAddress, tryParseIp } from './ip.ts';
import { isLoopbackAddress, withoutCarrier } from './special-address.ts';

/** The two ends of a connection that was accepted. */
export interface SocketEnds {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

const TABLES = ['net/tcp', 'net/tcp6'];
const ESTABLISHED = '01';

/**
 * Whether the program at the other end of a connection is on this machine and runs as the user that this process runs
 * as. Only Linux tells whose the other end is; elsewhere it counts as somebody else's.
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

/** A kernel without IPv6 has no table of it. */
async function tableAt(path: string): Promise<string> {
  return await readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
}

/** In a user namespace, users that have no number there are shown by one number, which then says nothing. */
async function isStandIn(uid: number, proc: string): Promise<boolean> {
  const standIn = Number(await readFile(`${proc}/sys/kernel/overflowuid`, 'latin1'));
  if (uid !== standIn) return false;
  const map = await readFile(`${proc}/self/uid_map`, 'latin1');
  return !/^\s*0\s+0\s+4294967295\s*$/.test(map);
}

/**
 * Who owns the client's end of a connection, by a table of the kernel. Only an end that is open and belongs to a process
 * counts: the kernel shows one that was closed as root's.
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

/** How the tables may write an end: an IPv4 address as such, and as the IPv6 address that stands for it. */
function spellings(text = '', port = -1, order: 'LE' | 'BE'): string[] {
  const address = tryParseIp(text);
  if (address === undefined) return [];
  const plain = withoutCarrier(address);
  const mapped: IpAddress = { family: 6, value: (0xffffn << 32n) | plain.value };
  const forms = plain.family === 4 ? [plain, mapped] : [plain];
  const end = port.toString(16).toUpperCase().padStart(4, '0');
  return forms.map((form) => `${hexOf(form, order)}:${end}`);
}

/** Words of 32 bits as they lie in memory, each printed as a number of this processor. */
function hexOf({ family, value }: IpAddress, order: 'LE' | 'BE'): string {
  const digits = value
    .toString(16)
    .toUpperCase()
    .padStart(family === 4 ? 8 : 32, '0');
  const bytes = digits.match(/../g) ?? [];
  if (order === 'BE') return digits;
  return bytes.map((_, i) => bytes[(i & ~3) + 3 - (i & 3)]).join('');
}
