import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasQemu } from '#testing/programs';
import type { MachineSpec } from '#vm/node/machine-spec';
import { blockedRanges } from '#vm/node/qemu/isolation/blocked-ranges';
import type { QemuDriver } from '#vm/node/qemu/qemu-driver';
import { isolation, newRoot, openDriver, removeMachines, specOf } from './drivers.ts';

const WAIT = { timeout: 120_000, interval: 100 };
const ADDRESS = '10.244.7.42';
const nic = { name: 'default', mac: '02:00:00:00:00:2a', model: 'virtio', ip: ADDRESS };

/** Returns a machine on the pod network whose guest runs a script. */
function guestWith(script: string, id = 'm'): MachineSpec {
  return { ...specOf(id), nics: [nic], annotations: { script: `#!/bin/sh\n${script}\n` } };
}

const consoleOf = (root: string, id = 'm') => readFile(join(root, id, 'serial.log'), 'utf8');
const waitForConsole = async (root: string, what: string) =>
  await vi.waitUntil(async () => (await consoleOf(root)).includes(what), WAIT);

/** Gets a page of a guest's web server. */
async function get(driver: QemuDriver, port: number): Promise<string> {
  const stream = await driver.connect('m', port);
  stream.end('GET /index.html HTTP/1.0\r\n\r\n');
  return await text(stream);
}

/** Returns an IPv4 address of this host that is not on its loopback interface. */
function hostAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '';
}

const hasInternet = hasQemu() && hostAddress() !== '' && (await isolation()).network === 'internet';

afterEach(removeMachines);

const WEB = 'mkdir /web; echo "page of guest" >/web/index.html; httpd -p 8000 -h /web; httpd -p 8080 -h /web';
const ADDRESSED = `until ip -4 addr show dev eth0 | grep -q ${ADDRESS}/; do sleep 0.1; done; echo addressed`;

describe.skipIf(!hasQemu())('the network of a real machine', () => {
  it('gives the guest its address, and lets the host connect to its ports', async () => {
    const root = await newRoot();
    const first = await openDriver(root);
    await first.start(guestWith(`${WEB}\n${ADDRESSED}`));
    await waitForConsole(root, 'addressed');
    expect(await get(first, 8000)).toContain('page of guest');
    expect(await get(first, 8080)).toContain('page of guest');
    await expect(first.connect('m', 81)).rejects.toThrow('cannot connect to port 81 of machine m: connection refused');
    const pages = await Promise.all(Array.from({ length: 5 }, () => get(first, 8000)));
    expect(pages.every((page) => page.includes('page of guest'))).toBe(true);
    first.close();
    const second = await openDriver(root);
    expect(await get(second, 8000)).toContain('page of guest');
    expect(await listenersOf(Number(await readFile(join(root, 'm', 'qemu.pid'), 'utf8')))).toEqual([]);
  });

  it.skipIf(!hasInternet)('reaches neither the host nor its network, and nothing else blocks it', async () => {
    const host = hostAddress();
    const hits: string[] = [];
    const server = createServer((socket) => {
      socket.on('data', (chunk) => hits.push(String(chunk).trim())).on('error', () => undefined);
    });
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const targets = [host, '127.0.0.1', '10.244.7.1', '10.244.7.2', '198.51.100.2', '169.254.169.254'];
    const attempt = (target: string, id: string) => `echo ${id} ${target} | nc -w 5 ${target} ${port}`;
    const script = (id: string) =>
      [ADDRESSED, ...targets.map((target) => attempt(target, id)), 'echo tried'].join('\n');
    const root = await newRoot();
    const found = await isolation();
    const closed = await openDriver(root, { isolation: { ...found, blocked: blockedRanges([host]) } });
    const open = await openDriver(await newRoot(), { isolation: { ...found, blocked: [] } });
    await Promise.all([closed.start(guestWith(script('closed'))), open.start(guestWith(script('open')))]);
    await waitForConsole(root, 'tried');
    await vi.waitUntil(() => hits.length > 0, WAIT);
    server.close();
    // The same guest with the same network, without the blocked ranges, reaches the address of the host.
    expect(hits).toEqual([`open ${host}`]);
  });
});

/** Returns the sockets that listen in the network namespace of a process, as /proc shows them. */
async function listenersOf(pid: number): Promise<string[]> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')));
  return tables.flatMap((table) => table.split('\n').filter((line) => line.trim().split(/\s+/)[3] === '0A'));
}
