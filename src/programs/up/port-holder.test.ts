import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { reportSkipped } from '#testing/programs';
import { withStartExplanation } from './data-dir.ts';
import { holderOf, listenersOf } from './port-holder.ts';

const tellsPorts = existsSync('/proc/net/tcp');
if (!tellsPorts) reportSkipped('who holds a port, because only Linux tells');

describe.skipIf(!tellsPorts)('a port that is already in use', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::1'])('is attributed to the process that listens on it at %s', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(holderOf(port)).toMatchObject({ pid: process.pid, command: expect.stringContaining('node') });
    const reported = withStartExplanation(Object.assign(new Error('in use'), { code: 'EADDRINUSE', port }), '/data', {
      [port]: '--metrics-port',
    });
    expect(reported).toMatchObject({
      message: expect.stringMatching(
        new RegExp(`^port ${port} is already in use by process ${process.pid} \\(.*node.*\\)$`),
      ),
      hint: 'Choose another with --metrics-port, 0 for a free one, or stop that process.',
    });
    server.close();
    await once(server, 'close');
    expect(holderOf(port)).toBeUndefined();
  });

  it('can be looked up with a command of the operating system', () => {
    expect(listenersOf(80, 'linux')).toBe("ss -ltnp 'sport = :80'");
    expect(listenersOf(80, 'darwin')).toBe('lsof -nP -iTCP:80 -sTCP:LISTEN');
  });

  it('is reported even if its process is unknown', () => {
    const reported = withStartExplanation(Object.assign(new Error('in use'), { code: 'EADDRINUSE', port: 1 }), '/data');
    expect(reported).toMatchObject({
      message: 'port 1 is already in use',
      hint: "Choose another with --port, 0 for a free one. To see which process uses it: ss -ltnp 'sport = :1'",
    });
  });
});
