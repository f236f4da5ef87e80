import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reportSkipped } from '#testing/programs';
import { clientUid, isOwnProgram } from './socket-owner.ts';

const HEADER =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                    \n';
const row = (client: string, server: string, state: string, uid: number, inode: number) =>
  `   3: ${client} ${server} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 2 0000000000000000 20 0 0 10 -1\n`;
const V4 = row('0100007F:C350', '0100007F:1F40', '01', 1000, 77);
const ends = { remoteAddress: '127.0.0.1', remotePort: 50_000, localAddress: '127.0.0.1', localPort: 8000 };
const V6 = '00000000000000000000000001000000';
const MAPPED = '0000000000000000FFFF00000100007F';

describe('the owner of a connection', () => {
  it.each([
    ['is the uid of its entry', V4, ends, 1000],
    [
      'is unknown if only the other end has an entry',
      row('0100007F:1F40', '0100007F:C350', '01', 1000, 78),
      ends,
      undefined,
    ],
    [
      'is unknown if the entry has another port',
      row('0100007F:C351', '0100007F:1F40', '01', 1000, 77),
      ends,
      undefined,
    ],
    [
      'is unknown if the entry has another remote port',
      row('0100007F:C350', '0100007F:1F41', '01', 1000, 77),
      ends,
      undefined,
    ],
    ['is unknown if its process has closed it', row('0100007F:C350', '0100007F:1F40', '05', 0, 0), ends, undefined],
    ['is unknown if no process has it open', row('0100007F:C350', '0100007F:1F40', '01', 0, 0), ends, undefined],
    ['is unknown if it has ended', row('0100007F:C350', '0100007F:1F40', '06', 0, 0), ends, undefined],
    ['is found in an IPv4-mapped entry', row(`${MAPPED}:C350`, `${MAPPED}:1F40`, '01', 7, 9), ends, 7],
    [
      'is found by IPv4-mapped addresses',
      V4,
      { ...ends, remoteAddress: '::ffff:127.0.0.1', localAddress: '::ffff:127.0.0.1' },
      1000,
    ],
    [
      'is found for IPv6',
      row(`${V6}:C350`, `${V6}:1F40`, '01', 5, 9),
      { ...ends, remoteAddress: '::1', localAddress: '::1' },
      5,
    ],
    ['is unknown if the table is empty', '', ends, undefined],
    ['is unknown without addresses', V4, {}, undefined],
  ])('%s', (_what, rows, of, uid) => {
    expect(clientUid(`${HEADER}${rows}`, of, 'LE')).toBe(uid);
  });

  it('is found by the byte order of the processor', () => {
    const big = row('7F000001:C350', '7F000001:1F40', '01', 1000, 77);
    expect(clientUid(big, ends, 'BE')).toBe(1000);
    expect(clientUid(big, ends, 'LE')).toBeUndefined();
  });
});

/** Creates a directory like /proc, of a process in a user namespace or in none. */
function procWith(tcp: string, uidMap = '0 0 4294967295\n'): string {
  const directory = mkdtempSync(join(tmpdir(), 'vimana-proc-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const part of ['net', 'self', 'sys/kernel']) mkdirSync(join(directory, part), { recursive: true });
  writeFileSync(join(directory, 'net/tcp'), tcp);
  writeFileSync(join(directory, 'self/uid_map'), uidMap);
  writeFileSync(join(directory, 'sys/kernel/overflowuid'), '65534\n');
  return directory;
}

describe('a program at the other end of a connection', () => {
  it('is our own if it runs as the same user, but not if the user is unknown', async () => {
    const proc = procWith(V4);
    expect(await isOwnProgram(ends, proc, 1000)).toBe(true);
    expect(await isOwnProgram(ends, proc, 1001)).toBe(false);
    expect(await isOwnProgram(ends, proc, 0)).toBe(false);
    expect(await isOwnProgram(ends, '/nowhere', 1000)).toBe(false);
    expect(await isOwnProgram({ ...ends, remoteAddress: '10.0.0.1' }, proc, 1000)).toBe(false);
  });

  it('cannot be distinguished from other unmapped users in a user namespace', async () => {
    const nobody = V4.replace(' 1000 ', ' 65534 ');
    expect(await isOwnProgram(ends, procWith(nobody), 65_534)).toBe(true);
    expect(await isOwnProgram(ends, procWith(nobody, '0 100000 65536\n'), 65_534)).toBe(false);
    expect(await isOwnProgram(ends, procWith(V4, '0 100000 65536\n'), 1000)).toBe(true);
  });
});

/** Accepts one connection and reports whether it is from the same user. */
async function accepted(host: string, dial: (port: number) => unknown): Promise<boolean> {
  const server = createServer().listen(0, host);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  dial((server.address() as AddressInfo).port);
  const [socket] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => void socket.destroy());
  return await isOwnProgram(socket);
}

const dialler = (port: number) =>
  `const s = require('node:net').connect(${port}, '127.0.0.1'); s.on('close', () => process.exit()); s.on('error', () => process.exit())`;

describe.runIf(process.platform === 'linux')('on Linux', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['::1', '::1'],
  ])('a program of the same user that connects to %s at %s is our own', async (host, to) => {
    expect(await accepted(host, (port) => connect(port, to).on('error', () => {}))).toBe(true);
  });

  const isRoot = process.getuid?.() === 0;
  if (!isRoot) reportSkipped('connections of another user, which only root can make');
  it.runIf(isRoot)('a program of another user is not our own', async () => {
    const isOurs = await accepted('127.0.0.1', (port) => {
      const child = spawn(process.execPath, ['-e', dialler(port)], { uid: 65_534, gid: 65_534, cwd: '/' });
      onTestFinished(() => void child.kill());
    });
    expect(isOurs).toBe(false);
  });
});
