import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { realClock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import { noise } from './bodies.ts';
import { Http1Connection } from './http1-connection.ts';

/** Actions on the port that no HTTP client performs. Each ends by itself, whatever the server does. */
export type RawAttack = (port: number, token: string, random: Random) => Promise<void>;

const CLIENT_HELLO = Buffer.from('16030100c8010000c40303', 'hex');
const PATH = '/api/v1/namespaces/default/configmaps';

const head = (method: string, token: string, ...lines: string[]) =>
  `${method} ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${lines.map((line) => `${line}\r\n`).join('')}`;

export const RAW_ATTACKS: Readonly<Record<string, RawAttack>> = {
  'noise instead of TLS': (port, _token, random) => onTcp(port, noise(random, random.int(1, 2_000))),
  'plain HTTP instead of TLS': (port) => onTcp(port, Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')),
  'the beginning of a handshake, and no more': (port) => onTcp(port, CLIENT_HELLO),
  'a handshake that turns into noise': (port, _token, random) =>
    onTcp(port, Buffer.concat([CLIENT_HELLO, noise(random, 197)])),
  'nothing at all': (port) => onTcp(port, Buffer.alloc(0)),
  'noise inside TLS': (port, _token, random) => onTls(port, [noise(random, random.int(1, 2_000))]),
  'the preface of HTTP/2 where HTTP/1.1 was agreed on': (port) =>
    onTls(port, [Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')]),
  'more body than its length says': (port, token) =>
    onTls(port, [Buffer.from(`${head('POST', token, 'content-length: 2')}\r\n{}{"and": "more"}\r\n\r\n`)]),
  'less body than its length says': (port, token) =>
    onTls(port, [Buffer.from(`${head('POST', token, 'content-length: 2000')}\r\n{}`)]),
  'a length that is none': (port, token) =>
    onTls(port, [Buffer.from(`${head('POST', token, 'content-length: -5')}\r\n{}`)]),
  'two lengths': (port, token) =>
    onTls(port, [Buffer.from(`${head('POST', token, 'content-length: 2', 'content-length: 5')}\r\n{}`)]),
  'a length and chunks': (port, token) =>
    onTls(port, [Buffer.from(`${head('POST', token, 'content-length: 2', 'transfer-encoding: chunked')}\r\n{}`)]),
  'chunks that are none': (port, token) =>
    onTls(port, [Buffer.from(`${head('POST', token, 'transfer-encoding: chunked')}\r\nzz\r\n{}\r\n`)]),
  'a chunk without end': (port, token) =>
    onTls(port, [Buffer.from(`${head('POST', token, 'transfer-encoding: chunked')}\r\nffffff\r\n{}`)]),
  'a body in chunks beyond every limit': (port, token) =>
    onTls(port, [
      Buffer.from(`${head('POST', token, 'transfer-encoding: chunked')}\r\n`),
      ...Array.from({ length: 70 }, () => Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`)),
    ]),
  'headers without end': (port, token) =>
    onTls(port, [Buffer.from(head('GET', token, ...Array.from({ length: 3_000 }, (_, i) => `x-${i}: y`)))]),
  'a header of zero bytes': (port, token) => onTls(port, [Buffer.from(`${head('GET', token, 'x: \0\0')}\r\n`)]),
  'a request line without end': (port) => onTls(port, [Buffer.from(`GET /${'a'.repeat(100_000)}`)]),
  'an unknown method': (port, token) => onTls(port, [Buffer.from(`${head('EXPLODE', token)}\r\n`)]),
  'a tunnel': (port) => onTls(port, [Buffer.from('CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n')]),
  'a wait for a continuation': (port, token) =>
    onTls(port, [Buffer.from(`${head('POST', token, 'expect: 100-continue', 'content-length: 2')}\r\n`)]),
  'many requests at once, and gone before the answers': (port, token) =>
    onTls(port, [Buffer.from(`${head('GET', token)}\r\n`.repeat(50))]),
  'a request letter by letter, and gone in the middle': async (port, token) => {
    const connection = await Http1Connection.open(port);
    for (const letter of head('GET', token).slice(0, 40)) {
      connection.write(Buffer.from(letter));
      await realClock.sleep(0);
    }
    connection.close();
  },
  'a half-closed connection': async (port, token) => {
    const connection = await Http1Connection.open(port);
    connection.write(Buffer.from(`${head('GET', token)}\r\n`));
    connection.socket.end();
    await briefly(connection.answer('GET'));
    connection.close();
  },
  'a watch that is never read': (port, token) => dropped(port, token, `${PATH}?watch=true`),
  'a watch of everything from the first version': (port, token) =>
    dropped(port, token, `${PATH}?watch=true&resourceVersion=1`),
  'a list whose reader goes away': (port, token) =>
    dropped(port, token, '/apis/rbac.authorization.k8s.io/v1/clusterroles'),
};

async function onTcp(port: number, bytes: Buffer): Promise<void> {
  const socket: Socket = connectTcp(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.resume();
  socket.write(bytes);
  await briefly(new Promise((resolve) => socket.once('close', resolve)));
  socket.destroy();
}

async function onTls(port: number, pieces: readonly Buffer[]): Promise<void> {
  const connection = await Http1Connection.open(port);
  for (const piece of pieces) connection.write(piece);
  await briefly(connection.answer('GET'));
  connection.close();
}

async function dropped(port: number, token: string, target: string): Promise<void> {
  const connection = await Http1Connection.open(port);
  connection.socket.pause();
  connection.write(Buffer.from(`GET ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`));
  await realClock.sleep(5);
  connection.close();
}

/** The server correctly waits for some of these. */
async function briefly(what: Promise<unknown>): Promise<void> {
  await Promise.race([what, realClock.sleep(30)]);
}
